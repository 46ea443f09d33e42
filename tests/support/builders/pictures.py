"""Pictures for tests, good and hostile."""

import io
import struct
import zlib
from typing import Any

from PIL import Image, PngImagePlugin

from kept.content.images.format import ImageFormat

SCRIPT = b"<script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"


def picture(kind: ImageFormat = ImageFormat.PNG, size: tuple[int, int] = (40, 30), **options: Any) -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(out, kind.name, **options)
    return out.getvalue()


def photograph(size: tuple[int, int]) -> bytes:
    """As full of detail as a real one."""
    out = io.BytesIO()
    Image.effect_noise(size, 60).save(out, "png")
    return out.getvalue()


def animation(frames: int = 3, **options: Any) -> bytes:
    out = io.BytesIO()
    first, *rest = [Image.new("RGB", (20, 20), (40 * number, 0, 0)) for number in range(frames)]
    first.save(out, "GIF", save_all=True, append_images=rest, duration=100, loop=0, **options)
    return out.getvalue()


def png_with_text(text: str) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", text)
    return picture(ImageFormat.PNG, pnginfo=info)


def jpeg_with_metadata(text: str, orientation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[0x010E], exif[0x0112] = text, orientation
    return picture(ImageFormat.JPEG, exif=exif, comment=text.encode())


def gif_that_is_javascript() -> bytes:
    """Valid as both: the width is `/*`, and what closes the comment and runs stands behind the picture's end."""
    plain = bytearray(picture(ImageFormat.GIF, (0x2A2F % 200, 1)))
    plain[6:8] = b"/*"
    return bytes(plain) + b"*/=1;alert(1)//"


def huge_png(width: int = 10_000, height: int = 10_000) -> bytes:
    """A hundred million pixels in a hundred kilobytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * (width + 1) * height, 9)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, content) for name, content in chunks)


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def open_picture(data: bytes) -> Image.Image:
    opened = Image.open(io.BytesIO(data))
    opened.load()
    return opened
