"""Promises that hold for any input: same bytes for the same input, what is sanitised stays as it is."""

import os
import subprocess
import sys
import unicodedata
from uuid import UUID

import nh3
from hypothesis import given
from hypothesis import strategies as st

from kept.content.article.canonical import canonical_text
from kept.content.article.safe_html import KEPT_TAGS, MATH_TAGS, SafeHtml
from kept.content.article.sanitise import SanitisedArticle, SanitiseFailed, sanitise_article
from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.metadata import read_metadata
from support.builders.markup import ATTRIBUTES, markup

PAGE = "https://site.example/a/b"
MEDIA = UUID(int=5)


def _sanitise(html: str, *, is_copy: bool = False) -> SanitisedArticle | SanitiseFailed:
    return sanitise_article(html, base_url=PAGE, canonical_url=PAGE, media_id=MEDIA, is_copy=is_copy)


@given(markup)
def test_whatever_is_sanitised_is_admitted_and_a_second_parser_leaves_it_alone(html: str) -> None:
    result = _sanitise(html)
    if isinstance(result, SanitisedArticle):
        written = str(result.html)
        assert SafeHtml.admit(written) == result.html
        allowed = set(KEPT_TAGS | MATH_TAGS)
        everything = {tag: set(ATTRIBUTES) | {"target", "referrerpolicy", "datetime", "alttext"} for tag in allowed}
        everything["a"] |= {"rel"}
        assert nh3.clean(written, tags=allowed, attributes=everything, link_rel=None) == written


@given(markup)
def test_sanitising_twice_changes_nothing_but_the_pictures(html: str) -> None:
    once = _sanitise(html.replace("src", "alt"))
    if isinstance(once, SanitisedArticle):
        twice = _sanitise(str(once.html), is_copy=True)
        assert isinstance(twice, SanitisedArticle)
        assert twice.html == once.html


@given(markup)
def test_sanitising_settles_for_nearly_any_markup(html: str) -> None:
    assert isinstance(_sanitise(html), SanitisedArticle)


@given(markup)
def test_canonical_text_keeps_its_promises(html: str) -> None:
    result = _sanitise(html)
    if isinstance(result, SanitisedArticle):
        text = canonical_text(result.html).text
        assert text == text.strip()
        assert "\n\n\n" not in text
        assert unicodedata.is_normalized("NFC", text)
        assert canonical_text(result.html).text == text


@given(
    st.binary(max_size=400),
    st.sampled_from([None, "utf-8", "utf-16", "big5", "iso-2022-jp", "gbk", "shift_jis"]),
)
def test_any_bytes_decode_to_text_that_can_be_encoded(body: bytes, label: str | None) -> None:
    text = decode_html(body, f"text/html; charset={label}" if label else None).text
    assert "\0" not in text
    text.encode()


@given(markup)
def test_any_markup_has_metadata_and_a_kind(html: str) -> None:
    metadata = read_metadata(html, PAGE)
    assert metadata == read_metadata(html, PAGE)
    assert metadata.title is None or 0 < len(metadata.title) <= 500
    assert metadata.preview_image_url is None or metadata.preview_image_url.startswith(("http://", "https://"))
    assert classify_page(html, url=PAGE, metadata=metadata).reason


_PIPELINE = """
import hashlib, sys, uuid
from kept.content.article.canonical import canonical_text
from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.metadata import read_metadata
from kept.content.article.sanitise import sanitise_article
page = "https://site.example/a/b"
text = decode_html(sys.stdin.buffer.read(), None).text
article = sanitise_article(text, base_url=page, canonical_url=page, media_id=uuid.UUID(int=5))
everything = (read_metadata(text, page), classify_page(text, url=page), article, str(article.html))
print(hashlib.sha256(repr((everything, canonical_text(article.html))).encode()).hexdigest())
"""
_SAMPLE = """<title>T &amp; t</title><meta property="og:image" content="/i.png"><link rel=icon href=/a.png sizes=32x32>
<article><h1>Überschrift</h1><p lang=de dir=ltr>e\u0301 <a href="#f">1</a> <a href="/x">x</a> <abbr title=t>a</abbr>
<img src=a.png alt=a width=3 height=4><img srcset="b.png 1x, c.png 2x"><table><tr><td colspan=2 rowspan=3>a<td>b</table>
<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe><pre>x\n  y</pre><b><p>mis</b>nested</p></article>"""


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", _PIPELINE],
            input=_SAMPLE.encode(), capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "42", "1234567")
    }  # fmt: skip
    assert len(digests) == 1
