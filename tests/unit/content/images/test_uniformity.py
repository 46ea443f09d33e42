"""Screenshots that show nothing are no covers; text on white is one."""

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw, ImageFont

from kept.content.images.format import Thumbnail
from kept.content.images.thumbnail import make_thumbnail
from kept.content.images.uniformity import is_nearly_uniform

SIZE = (1280, 720)
WORDS = "A plane takes a shaving from an oak board; the shaving falls; the board is a hair thinner. "


def blank(colour: str) -> Image.Image:
    return Image.new("RGB", SIZE, colour)


def gradient() -> Image.Image:
    return Image.linear_gradient("L").resize(SIZE).convert("RGB")


def spinner() -> Image.Image:
    image = blank("white")
    ImageDraw.Draw(image).arc((616, 336, 664, 384), 0, 270, fill="#3366cc", width=5)
    return image


def word() -> Image.Image:
    image = blank("white")
    ImageDraw.Draw(image).text((600, 350), "Loading…", fill="#333333", font=ImageFont.load_default(18))
    return image


def short_page() -> Image.Image:
    """A heading and two lines, as example.com has."""
    image = blank("#eeeeee")
    draw = ImageDraw.Draw(image)
    draw.text((320, 120), "Example Domain", fill="black", font=ImageFont.load_default(32))
    for line in range(2):
        draw.text((320, 180 + line * 24), WORDS[:70], fill="black", font=ImageFont.load_default(16))
    return image


def article() -> Image.Image:
    image = blank("white")
    for line in range(26):
        ImageDraw.Draw(image).text((200, 40 + line * 26), WORDS, fill="#222222", font=ImageFont.load_default(18))
    return image


def two_colours() -> Image.Image:
    image = blank("white")
    ImageDraw.Draw(image).rectangle((0, 0, 1280, 80), fill="navy")
    return image


def photograph() -> Image.Image:
    return Image.effect_noise(SIZE, 60).convert("RGB")


EMPTY: dict[str, Callable[[], Image.Image]] = {
    "white": lambda: blank("white"),
    "dark": lambda: blank("#121212"),
    "a gradient": gradient,
    "a spinner": spinner,
    "one word": word,
    "a header above an empty page": two_colours,
}
COVERS = {"a short page": short_page, "an article": article, "a photograph": photograph}


def thumbnail_of(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "png")
    made = make_thumbnail(out.getvalue())
    assert isinstance(made, Thumbnail)
    return made.data


@pytest.mark.parametrize("name", EMPTY)
def test_a_screenshot_that_shows_nothing_is_nearly_uniform(name: str) -> None:
    assert is_nearly_uniform(thumbnail_of(EMPTY[name]()))


@pytest.mark.parametrize("name", COVERS)
def test_a_screenshot_that_shows_something_is_not(name: str) -> None:
    assert not is_nearly_uniform(thumbnail_of(COVERS[name]()))
