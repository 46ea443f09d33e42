"""How well pages are read: Mozilla's own test pages, and the public article benchmark's or ours in its place."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest
from selectolax.lexbor import LexborHTMLParser

from kept.content.article.article import Article, Page
from kept.content.article.readable import Readable
from kept.content.article.rules import RULES
from kept.content.article.rules.facts import Subject
from kept.content.article.tidy import tidy
from kept.content.page.decode import decode_html
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from kept.subprocesses.sidecar import BUNDLE, Sidecar
from support.builders.extraction_corpus import (
    MOZILLA,
    MOZILLA_IS_ABSENT,
    ArticlePage,
    MozillaPage,
    count_tags,
    load_articles,
    load_mozilla,
    score_articles,
    text_of_html,
    token_f1,
)
from support.fixtures.extraction import MEDIA_ID, require_node

pytestmark = [
    pytest.mark.requirement(
        "Kept", "an article's text, figures, images, code and tables, and little else (`./bench extract`)"
    ),
    pytest.mark.requirement("differs", "004 §4, §8: jsdom; §12: Bleach → linkedom and nh3"),
]

STRUCTURE = ("figure", "img", "code", "table")
KEPT_WHOLE = ("figure", "figcaption", "pre", "code", "table", "blockquote")


@pytest.fixture(scope="module")
def mozilla() -> Iterator[list[tuple[MozillaPage, Readable]]]:
    """Mozilla's pages as Readability leaves them, before the rules prune them."""
    if not MOZILLA.is_dir():
        pytest.skip(MOZILLA_IS_ABSENT)
    sidecar = Sidecar(require_node(), BUNDLE)
    yield [(page, readable(sidecar, page)) for page in load_mozilla()]
    sidecar.stop()


def readable(sidecar: Sidecar, page: MozillaPage) -> Readable:
    outcome = sidecar.start(tidy(decode_html(page.body, "text/html; charset=utf-8").text), 30)()
    assert isinstance(outcome, Readable), (page.key, outcome)
    return outcome


@pytest.fixture(scope="module")
async def articles() -> AsyncIterator[list[tuple[ArticlePage, Article]]]:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=2, seconds=30))
    read = []
    for page in load_articles():
        outcome = await pool.extract(Page(page.body, page.url, MEDIA_ID, "text/html; charset=utf-8"))
        assert isinstance(outcome, Article), (page.url, outcome)
        read.append((page, outcome))
    yield read
    await pool.close()


# Formulas that a browser shows as images, and that we keep as formulas.
FORMULAS: Final = frozenset({"mathjax", "wikipedia-3"})


def test_before_pruning_the_text_is_what_a_browser_would_show_but_for_formulas(
    mozilla: list[tuple[MozillaPage, Readable]],
) -> None:
    scores = {page.key: token_f1(text_of_html(page.expected_html), text_of_html(found.html)) for page, found in mozilla}
    assert {key for key, score in scores.items() if score < 0.99} <= FORMULAS


def test_titles_are_mozillas_on_98_of_100_pages(mozilla: list[tuple[MozillaPage, Readable]]) -> None:
    same = sum(found.title == page.expected_title for page, found in mozilla)
    assert same >= 0.98 * len(mozilla)


def test_before_pruning_every_figure_image_code_and_table_is_there(
    mozilla: list[tuple[MozillaPage, Readable]],
) -> None:
    for page, found in mozilla:
        expected, kept = count_tags(page.expected_html, STRUCTURE), count_tags(found.html, STRUCTURE)
        if page.key in FORMULAS:
            kept["img"] += found.html.count("<math")
            assert kept["img"] >= expected["img"], page.key
            kept["img"] = expected["img"]
        assert kept == expected, page.key


def test_pruning_loses_no_figure_caption_code_table_or_quotation(mozilla: list[tuple[MozillaPage, Readable]]) -> None:
    for page, found in mozilla:
        root = LexborHTMLParser(found.html).body
        assert root is not None
        RULES.prune(root, Subject((found.title or "",), found.byline or "", "fakehost"))
        assert count_tags(root.html or "", KEPT_WHOLE) == count_tags(found.html, KEPT_WHOLE), page.key


def test_pruning_leaves_nearly_all_of_mozillas_text(mozilla: list[tuple[MozillaPage, Readable]]) -> None:
    for page, found in mozilla:
        root = LexborHTMLParser(found.html).body
        assert root is not None
        RULES.prune(root, Subject((found.title or "",), found.byline or "", "fakehost"))
        assert len(text_of_html(root.html or "")) > 0.9 * len(text_of_html(found.html)), page.key


def test_articles_are_read_with_precision_and_recall(articles: list[tuple[ArticlePage, Article]]) -> None:
    score = score_articles((page.true_text, article.text.text) for page, article in articles)
    assert score.f1 >= 0.970
    assert score.precision >= 0.955
    assert score.recall >= 0.980


def test_each_half_of_the_articles_is_read_about_as_well(articles: list[tuple[ArticlePage, Article]]) -> None:
    """The rules were first made on the even half alone; a rule that only fits its page shows here."""
    for half in (articles[0::2], articles[1::2]):
        assert score_articles((page.true_text, article.text.text) for page, article in half).f1 >= 0.965


def test_title_and_excerpt_are_found_on_99_of_100_articles_and_the_image_on_all(
    articles: list[tuple[ArticlePage, Article]],
) -> None:
    assert sum(bool(article.title) for _, article in articles) >= 0.99 * len(articles)
    assert sum(bool(article.excerpt) for _, article in articles) >= 0.99 * len(articles)
    assert all(article.metadata.preview_image_url for _, article in articles)
