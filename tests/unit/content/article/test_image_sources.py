"""Each image ends with the one address worth keeping."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.image_sources import resolve_images


def resolved(html: str) -> list[str | None]:
    tree = LexborHTMLParser(html)
    assert tree.body is not None
    resolve_images(tree.body)
    return [image.attributes.get("src") for image in tree.css("img")]


PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


@pytest.mark.parametrize(
    ("html", "source"),
    [
        ('<img src="/a.jpg">', "/a.jpg"),
        ('<img src="/a.jpg" width="570" height="0">', "/a.jpg"),
        (f'<img src="{PIXEL}" data-src="/a.jpg">', "/a.jpg"),
        ('<img src="/spacer.gif" data-original="/a.jpg">', "/a.jpg"),
        ('<img src="/img/placeholder-16x9.png?v=2" data-lazy-src="/a.jpg">', "/a.jpg"),
        ('<img src="/small.jpg" srcset="/small.jpg 320w, /large.jpg 1200w">', "/large.jpg"),
        ('<img src="/small.jpg" data-srcset="/small.jpg 320w, /large.jpg 1200w">', "/large.jpg"),
        (f'<img src="{PIXEL}" data-anything-at-all="https://x.example/a.webp?w=9">', "https://x.example/a.webp?w=9"),
        ('<picture><source srcset="/b.webp 1x, /c.webp 2x"><img src="/a.jpg"></picture>', "/c.webp"),
        ('<picture><source data-srcset="/c.webp 2x"></picture>', "/c.webp"),
    ],
)
def test_the_best_source_becomes_src(html: str, source: str) -> None:
    assert resolved(html) == [source]


@pytest.mark.parametrize(
    "html",
    [
        "<img>",
        f'<img src="{PIXEL}">',
        '<img src="/t.gif" width="1" height="1">',
        '<img src="/img/blank.gif" alt="nothing">',
    ],
)
def test_an_image_without_a_usable_source_goes(html: str) -> None:
    assert resolved(f"<p>{html}</p>") == []


def test_a_size_of_thousands_of_digits_is_a_large_one() -> None:
    assert resolved(f'<img src="/a.png" width="{"9" * 5_000}" height="5">') == ["/a.png"]


def test_a_figure_that_loses_its_image_keeps_its_caption() -> None:
    tree = LexborHTMLParser("<figure><img><figcaption>A view</figcaption></figure>")
    assert tree.body is not None
    resolve_images(tree.body)
    assert tree.css_first("figcaption") is not None


def test_srcset_is_not_left_beside_the_source_that_was_chosen() -> None:
    tree = LexborHTMLParser('<img src="/a.jpg" srcset="/b.jpg 2x">')
    assert tree.body is not None
    resolve_images(tree.body)
    assert "srcset" not in (tree.body.inner_html or "")
