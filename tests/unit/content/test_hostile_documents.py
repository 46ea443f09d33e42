"""Documents made to exhaust: each ends well within ten seconds, with a value or a clear failure.

What must be parsed in a child is read as an article in tests/integration/content/test_hostile_articles.py.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

import pytest

from kept.content.article.canonical import CanonicalText, canonical_text
from kept.content.article.sanitise import SanitisedArticle, SanitiseFailed, sanitise_article
from kept.content.page.bounds import bounded_prefix
from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageMetadata, PageVerdict
from kept.content.page.metadata import read_metadata
from support.hostile.hostile_documents import HOSTILE, ONLY_FOR_A_CHILD, numbered

PAGE = "https://hostile.example/page"
# Of processor time: the machine may be busy with other things.
LIMIT_SECONDS = 10
# Seconds each, and like another one that is tried.
ALIKE = {
    *("50,000 links", "50,000 pictures", "20,000 table rows", "200,000 list items", "300,000 line breaks"),
    *("10 MB of one paragraph", "10 MB of entities"),
}


def by_name(names: Iterable[str]) -> list[Any]:
    """As parameters; of those that are alike all but one are for ./test --long."""
    return [pytest.param(name, marks=pytest.mark.long if name in ALIKE else ()) for name in names]


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_page_gives_its_card_in_time(make: Callable[[], bytes]) -> None:
    body = make()
    started = time.process_time()
    text = decode_html(body, "text/html").text
    metadata = read_metadata(text, PAGE)
    verdict = classify_page(text, url=PAGE, metadata=metadata)
    assert isinstance(metadata, PageMetadata)
    assert isinstance(verdict, PageVerdict)
    assert time.process_time() - started < LIMIT_SECONDS


@pytest.mark.parametrize("name", by_name(sorted(HOSTILE.keys() - ONLY_FOR_A_CHILD)))
def test_a_hostile_article_ends_in_time_with_a_value_or_a_clear_failure(name: str) -> None:
    text = decode_html(HOSTILE[name](), "text/html").text
    started = time.process_time()
    article = sanitise(text)
    if isinstance(article, SanitisedArticle):
        assert isinstance(canonical_text(article.html), CanonicalText)
    else:
        assert article.reason
    assert time.process_time() - started < LIMIT_SECONDS


def sanitise(html: str) -> SanitisedArticle | SanitiseFailed:
    return sanitise_article(html, base_url=PAGE, canonical_url=PAGE, media_id=UUID(int=1))


@pytest.mark.parametrize(
    "name", ["50,000 links", *by_name(["20,000 table rows", "200,000 list items", "10 MB of one paragraph"])]
)
def test_a_document_that_is_only_large_is_kept(name: str) -> None:
    assert isinstance(sanitise(decode_html(HOSTILE[name]()).text), SanitisedArticle)


@pytest.mark.parametrize(
    "html",
    [
        "<ul>" + "<li>x" * 50_000,
        "<p>x" * 50_000,
        "<table>" + "<tr><td><font color=red>x" * 20_000,
        "<div>" * 600 + "x",
    ],
)
def test_a_document_that_is_only_careless_is_kept(html: str) -> None:
    assert isinstance(sanitise(html), SanitisedArticle)


def test_an_article_nested_too_deep_is_refused() -> None:
    assert sanitise("<div>" * 6_000 + "x") == SanitiseFailed("Tags are nested more than 5,000 deep.")


def test_metadata_before_the_attack_is_still_read() -> None:
    head = '<title>Title</title><meta property="og:description" content="About">'
    for attack in (
        "<div>" * 50_000,
        "<p>" + numbered("<b id=#>", 9_000) + "<p>x" * 9_000,
        numbered("<p " + "a# " * 3_000, 50),
        "<p " + numbered("a#='>' ", 40_000) + ">",
    ):
        metadata = read_metadata(head + attack, PAGE)
        assert (metadata.title, metadata.excerpt) == ("Title", "About")


def test_an_ordinary_long_page_is_not_cut() -> None:
    html = "<p>" + "<i class=icon></i> <a href=x>y</a>" * 100
    assert bounded_prefix(html) == html


def test_a_page_is_cut_where_a_tag_with_too_many_attributes_begins() -> None:
    crowded = "<p " + " ".join(f"a{number}='>'" for number in range(600)) + ">"
    for before in (
        "<p>x</p>",
        "<!-- > -->",
        "<!doctype html>",
        "<?xml version='1.0'?>",
        "<a title='<p '>",
        "1 < 2 </ >",
    ):
        assert bounded_prefix(before + crowded) == before


def test_a_page_is_cut_where_formatting_could_be_reopened_too_often() -> None:
    html = "<p>" + numbered("<b id=#>", 450) + "<p>x" * 9_000
    cut = bounded_prefix(html)
    assert html.startswith(cut)
    assert cut.count("<") == 613  # times 489, which is 450 and the 39 without attributes, is just below 300,000


@pytest.mark.parametrize(
    "html",
    [
        "<script>if (a <b && #)</script><p>x</p>",
        "<SCRIPT type=x>'<p #'</SCRIPT ><p>x</p>",
        "<style><b #</style><p>x</p>",
        "<!-- <b # --><p>x</p>",
        "<p title='<b #'>x</p>",
    ],
)
def test_what_only_looks_like_a_tag_with_too_many_attributes_is_not_one(html: str) -> None:
    page = html.replace("#", " ".join(f"v{number}" for number in range(5_000)))
    assert bounded_prefix(page) == page
