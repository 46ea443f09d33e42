import io
import struct
import zlib

import pytest
from PIL import Image

from kept.content.images.format import BadImage, Thumbnail
from kept.content.images.thumbnail import make_thumbnail


def encode(image: Image.Image, kind: str) -> bytes:
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def claim_size(width: int, height: int) -> bytes:
    """A PNG whose header promises more than its body holds."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"")
    chunks = (struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in (header, body))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_a_screenshot_becomes_a_webp_of_half_its_size() -> None:
    made = make_thumbnail(encode(Image.new("RGB", (1280, 720), "navy"), "PNG"))

    assert isinstance(made, Thumbnail)
    assert (made.width, made.height, made.content_type) == (640, 360, "image/webp")
    with Image.open(io.BytesIO(made.data)) as reopened:
        assert (reopened.format, reopened.size) == ("WEBP", (640, 360))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_every_kind_of_picture_the_web_uses_is_taken(kind: str) -> None:
    assert isinstance(make_thumbnail(encode(Image.new("RGB", (50, 40), "red"), kind)), Thumbnail)


def test_a_small_picture_is_not_blown_up() -> None:
    made = make_thumbnail(encode(Image.new("RGB", (32, 20)), "PNG"))

    assert isinstance(made, Thumbnail)
    assert (made.width, made.height) == (32, 20)


def test_a_transparent_picture_stays_transparent() -> None:
    made = make_thumbnail(encode(Image.new("LA", (32, 20), (0, 0)), "PNG"))

    assert isinstance(made, Thumbnail)
    with Image.open(io.BytesIO(made.data)) as reopened:
        assert reopened.mode == "RGBA"


def test_a_picture_that_lies_on_its_side_is_set_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by a quarter to the right
    out = io.BytesIO()
    Image.new("RGB", (60, 30)).save(out, "JPEG", exif=exif)

    made = make_thumbnail(out.getvalue())

    assert isinstance(made, Thumbnail)
    assert (made.width, made.height) == (30, 60)


@pytest.mark.parametrize("side", [10_000, 60_000])
def test_a_picture_of_too_many_pixels_is_refused_by_its_header(side: int) -> None:
    assert make_thumbnail(claim_size(side, side)) is BadImage.TOO_MANY_PIXELS


def test_a_picture_that_breaks_off_is_refused() -> None:
    assert make_thumbnail(claim_size(100, 100)) is BadImage.BROKEN


@pytest.mark.parametrize("data", [b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%!PS-Adobe-3.0 EPSF-3.0"])
def test_what_is_no_picture_of_the_web_is_refused(data: bytes) -> None:
    assert make_thumbnail(data) is BadImage.NOT_AN_IMAGE
