"""Documents made to exhaust: each ends well within ten seconds, with a value or a clear failure."""
# ruff: noqa: E501 (each document is one line)

import time
from collections.abc import Callable
from uuid import UUID

import pytest

from kept.content.article.canonical import CanonicalText, canonical_text
from kept.content.article.sanitise import SanitisedArticle, SanitiseFailed, sanitise_article
from kept.content.page.bounds import bounded_prefix, find_excess
from kept.content.page.challenge import PageVerdict, classify_page
from kept.content.page.decode import decode_html
from kept.content.page.metadata import PageMetadata, read_metadata

PAGE = "https://hostile.example/page"
# Of processor time: the machine may be busy with other things.
LIMIT_SECONDS = 10


def _numbered(template: str, count: int) -> str:
    return "".join(template.replace("#", str(number)) for number in range(count))


HOSTILE: dict[str, Callable[[], bytes]] = {
    "50,000 nested tags": lambda: b"<div>" * 50_000 + b"x",
    "50,000 nested tags that are closed": lambda: b"<div>" * 50_000 + b"x" + b"</div>" * 50_000,
    "50,000 nested tags of two kinds": lambda: b"<li><dd>" * 25_000,
    "50,000 unclosed formatting elements": lambda: _numbered("<b id=#>", 50_000).encode(),
    "formatting that every paragraph opens again": lambda: ("<p>" + _numbered("<b id=#>", 5_000) + "<p>x" * 5_000).encode(),
    "formatting opened again below the limit of depth": lambda: ("<p>" + _numbered("<b id=#>", 450) + "<p>x" * 9_000).encode(),
    "nested drawings with titles": lambda: b"<svg><title><div>" * 20_000,
    "10 MB of one paragraph": lambda: b"<p>" + b"word " * (2 * 1024 * 1024 - 2),
    "10 MB of one word": lambda: b"<p>" + b"a" * (10 * 1024 * 1024 - 3),
    "10 MB of entities": lambda: b"<p>" + b"&amp;" * (2 * 1024 * 1024 - 2),
    "10 MB of brackets": lambda: b"<" * (10 * 1024 * 1024),
    "10 MB of opened tags": lambda: b"<a " * (3 * 1024 * 1024),
    "10 MB of comments that never end": lambda: b"<!--" * (2 * 1024 * 1024),
    "10 MB of quotes": lambda: b'<a b="' * (1024 * 1024),
    "50,000 links": lambda: _numbered("<p><a href='/#'>link #</a></p>", 50_000).encode(),
    "50,000 pictures": lambda: _numbered("<img src='/#.png'>", 50_000).encode(),
    "20,000 table rows": lambda: ("<table>" + _numbered("<tr><td>#<td>b<td>c", 20_000)).encode(),
    "200,000 list items": lambda: b"<ul>" + b"<li>x" * 200_000,
    "300,000 line breaks": lambda: b"<p>" + b"x<br>" * 300_000,
    "a 5 MB attribute": lambda: b'<p title="' + b"x" * (5 * 1024 * 1024) + b'">text</p><img alt="' + b"y" * 5_000_000 + b'">',
    "a 5 MB address": lambda: b'<a href="https://x.example/' + b"x" * (5 * 1024 * 1024) + b'">text</a>',
    "a 1 MB srcset": lambda: b'<img srcset="' + b"a.png 1x, " * 100_000 + b'">',
    "200,000 attributes on one tag": lambda: ("<p " + _numbered("a#=1 ", 200_000) + ">text").encode(),
    "200,000 marks on one letter": lambda: ("<p>a" + "\u0301\u0323" * 100_000).encode(),
    "NUL bytes": lambda: b"\0" * 1_000_000 + b"<p>te\0xt</p>" + b"\0" * 1_000_000,
    "a wrong charset": lambda: '<meta charset="utf-8"><p>Привет</p>'.encode("koi8-r") * 1_000,
    "UTF-16": lambda: ("<p>" + "Grüße aus dem Süden. " * 1_000).encode("utf-16"),
    "noise": lambda: bytes((number * 7919 + number // 251) % 256 for number in range(1_000_000)),
    "100,000 meta elements": lambda: _numbered('<meta property="og:title" content="#">', 100_000).encode(),
    "a million nested brackets of JSON-LD": lambda: b'<script type="application/ld+json">[{"a":' + b"[" * 1_000_000,
    "100,000 JSON-LD scripts": lambda: b'<script type="application/ld+json">{}</script>' * 20_000,
    "a very long title": lambda: b"<title>" + b"&amp;lt;b " * 500_000,
    "nothing": lambda: b"",
}  # fmt: skip


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_document_ends_in_time_with_a_value_or_a_clear_failure(make: Callable[[], bytes]) -> None:
    body = make()
    started = time.process_time()
    text = decode_html(body, "text/html").text
    metadata = read_metadata(text, PAGE)
    verdict = classify_page(text, url=PAGE, metadata=metadata)
    article = sanitise_article(text, base_url=PAGE, canonical_url=PAGE, media_id=UUID(int=1))
    if isinstance(article, SanitisedArticle):
        assert isinstance(canonical_text(article.html), CanonicalText)
    else:
        assert isinstance(article, SanitiseFailed)
        assert article.reason
    assert isinstance(metadata, PageMetadata)
    assert isinstance(verdict, PageVerdict)
    assert time.process_time() - started < LIMIT_SECONDS


@pytest.mark.parametrize("name", ["50,000 links", "20,000 table rows", "200,000 list items", "10 MB of one paragraph"])
def test_a_document_that_is_only_large_is_kept(name: str) -> None:
    text = decode_html(HOSTILE[name]()).text
    article = sanitise_article(text, base_url=PAGE, canonical_url=PAGE, media_id=UUID(int=1))
    assert isinstance(article, SanitisedArticle)


def test_metadata_before_the_attack_is_still_read() -> None:
    head = '<title>Title</title><meta property="og:description" content="About">'
    for attack in (
        "<div>" * 50_000,
        "<p>" + _numbered("<b id=#>", 9_000) + "<p>x" * 9_000,
        _numbered("<p " + "a# " * 3_000, 50),
    ):
        metadata = read_metadata(head + attack, PAGE)
        assert (metadata.title, metadata.excerpt) == ("Title", "About")


def test_an_ordinary_long_page_is_not_cut() -> None:
    html = "<p>" + "<i class=icon></i> <a href=x>y</a>" * 100
    assert bounded_prefix(html) == html
    assert find_excess("<ul>" + "<li>x" * 50_000) is None
    assert find_excess("<p>x" * 50_000) is None
    assert find_excess("<table>" + "<tr><td><font color=red>x" * 20_000) is None


def test_a_script_that_looks_like_a_crowded_tag_is_not_one() -> None:
    script = "<script>if (a <b && " + " ".join(f"v{number}" for number in range(5_000)) + ")</script><p>x</p>"
    assert bounded_prefix(script) == script
    assert find_excess(script) is None
