"""Images from anywhere: kept as they are when plain, drawn anew when odd, refused when they are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from kept.content.images.cleaning import clean_image, convert_image
from kept.content.images.format import SERVED, BadImage, CleanImage, ImageFormat, is_plain, sniff_image
from support.builders.pictures import (
    HTML,
    SCRIPT,
    SVG,
    animation,
    gif_that_is_javascript,
    huge_png,
    jpeg_with_metadata,
    open_picture,
    picture,
    png_with_text,
)

pytestmark = pytest.mark.requirement("Kept", "hostile image origins")

KINDS = sorted(SERVED)
IMAGE_DESCRIPTION = 0x010E


def described(text: bytes) -> Image.Exif:
    exif = Image.Exif()
    exif[IMAGE_DESCRIPTION] = text.decode()
    return exif


def clean(data: bytes) -> CleanImage:
    made = clean_image(data)
    assert isinstance(made, CleanImage), made
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_plain_picture_is_kept_byte_for_byte(kind: ImageFormat) -> None:
    data = picture(kind)
    assert sniff_image(data) is kind
    assert clean(data) == CleanImage(data, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_behind_a_picture_is_left_behind(kind: ImageFormat) -> None:
    made = clean(picture(kind) + SCRIPT)
    assert (made.kind, SCRIPT in made.data, is_plain(made.data, kind)) == (kind, False, True)
    assert open_picture(made.data).size == (40, 30)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(png_with_text(SCRIPT.decode()), id="text in a PNG"),
        pytest.param(jpeg_with_metadata(SCRIPT.decode()), id="comment and EXIF in a JPEG"),
        pytest.param(jpeg_with_metadata(SCRIPT.decode(), orientation=6), id="a JPEG that lies on its side"),
        pytest.param(animation(comment=SCRIPT), id="comment in an animated GIF"),
        pytest.param(picture(ImageFormat.WEBP, exif=b"Exif\0\0" + SCRIPT), id="EXIF in a WebP"),
        pytest.param(picture(ImageFormat.AVIF, exif=described(SCRIPT)), id="EXIF in an AVIF"),
        pytest.param(picture(ImageFormat.AVIF, xmp=SCRIPT), id="XMP in an AVIF"),
    ],
)
def test_what_a_picture_says_beside_its_pixels_is_left_behind(data: bytes) -> None:
    assert SCRIPT in data
    made = clean(data)
    assert SCRIPT not in made.data
    assert is_plain(made.data, made.kind)


def test_an_animation_that_is_drawn_anew_still_moves() -> None:
    assert getattr(open_picture(clean(animation(3, comment=SCRIPT)).data), "n_frames", 1) == 3


def test_a_picture_that_lies_on_its_side_is_set_upright() -> None:
    assert open_picture(clean(jpeg_with_metadata("x", orientation=6)).data).size == (30, 40)


def test_a_gif_that_is_also_a_script_is_only_a_gif_afterwards() -> None:
    made = clean_image(gif_that_is_javascript())
    assert isinstance(made, BadImage) or b"alert" not in made.data


@pytest.mark.parametrize("data", [b"", b"GIF89a", HTML, SVG, b"BM" + b"\0" * 60, b"%PDF-1.7", b"\0" * 100])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    assert clean_image(data) is BadImage.NOT_AN_IMAGE


def test_a_hundred_million_pixels_are_refused_before_one_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(self: Image.Image) -> None:
        raise AssertionError("decoded")

    data = huge_png()
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decode)
    assert clean_image(data) is BadImage.TOO_MANY_PIXELS


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_that_breaks_off_is_refused(kind: ImageFormat) -> None:
    data = picture(kind, (200, 200))
    assert isinstance(clean_image(data[: len(data) // 2]), BadImage)


def test_an_icon_becomes_a_png() -> None:
    assert clean(picture(ImageFormat.ICO, (32, 32))).kind is ImageFormat.PNG


def test_newer_formats_can_be_had_as_older_ones() -> None:
    made = convert_image(picture(ImageFormat.AVIF))
    assert isinstance(made, CleanImage)
    assert made.kind is ImageFormat.JPEG


@given(st.sampled_from(KINDS), st.binary(max_size=40), st.integers(0, 400), st.integers(0, 400))
def test_damaged_pictures_never_raise_and_never_change_their_kind(
    kind: ImageFormat, noise: bytes, start: int, length: int
) -> None:
    data = picture(kind)
    made = clean_image(data[:start] + noise + data[start + length :])
    if isinstance(made, CleanImage):
        assert sniff_image(made.data) is made.kind
        assert made.kind in SERVED
