"""Highlights of real articles: selected in a real browser, and found again in a rewritten copy.

The repository's own pages are measured each time; those of the public corpora, where they are, by `./test --long`.
"""
# ruff: noqa: E501 (markup reads better unbroken)

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page

from kept.content.article.article import Article
from kept.content.article.article import Page as SavedPage
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.builders.extraction_corpus import (
    ARTICLES,
    MOZILLA,
    MOZILLA_IS_ABSENT,
    MOZILLA_URL,
    load_articles,
    load_mozilla,
    load_own,
)
from support.builders.markup import make_safe
from support.fixtures.extraction import MEDIA_ID, require_node
from support.fixtures.highlight_measures import RewrittenTally, Tally, measure_rewritten, measure_selections

FOUND_WHERE_SELECTED = 0.995
FOUND_AGAIN = 0.95
TROUBLE = {
    "paragraphs": "<p>One &amp; two, <b>bold <i>and</i></b> <a href='/x'>a link</a>.</p>\n<p>Caf<b>e</b>\u0301, x<sup>2</sup>&nbsp;!</p>",
    "lists": "<ol><li>First</li><li>Second<ul><li>Inner</li></ul></li></ol><dl><dt>Term</dt><dd>Meaning</dd></dl>",
    "table": "<table><caption>Ages</caption><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td></td><td>7</td></tr></table>",
    "code": "<p>Run <code>make  all</code>:</p><pre><code>if a &lt; b:\n\n\n\n\treturn  a\n</code></pre><p>Done.</p>",
    "figures": "<p>Before<img src='a.png' alt='alt'>after</p><figure>x<img src='b.png'>y<figcaption>Caption</figcaption></figure>",
    "arabic": "<p dir=rtl>كان الميناء هادئًا في ذلك الصباح، ولم يفكر أحد في <b>العاصفة</b> القادمة.</p>",
    "japanese": "<p>その朝、<ruby>港<rt>みなと</rt></ruby>は静かで、<b>誰も</b>嵐を思わなかった。\n港は静かだった。</p>",
    "hyphens": "<p>Donau\xaddampf\xadschiff\u200bfahrt, A\u2014B; \u201cquoted\u201d 👩\u200d🔬 emoji</p><hr><p>Line<br>break<br><br>twice</p>",
    "details": "<blockquote><p>Quoted words</p></blockquote><p>He said <q>yes</q> and went.</p><details><summary>Some more</summary><p>Hidden words</p></details>",
}


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    page = await browser.new_page()
    await page.route("**/*", lambda route: route.abort())
    yield page
    await page.close()


@pytest.fixture(scope="module")
async def own() -> dict[str, Article]:
    return await extract(
        [(page.key, SavedPage(page.body, page.url, MEDIA_ID)) for page in load_own() if page.true_text]
    )


@pytest.fixture(scope="module")
async def public() -> dict[str, Article]:
    if not ARTICLES.is_dir() or not MOZILLA.is_dir():
        pytest.skip(MOZILLA_IS_ABSENT)
    pages = [
        (page.key, SavedPage(page.body, page.url, MEDIA_ID, "text/html; charset=utf-8")) for page in load_articles()
    ]
    pages += [
        (page.key, SavedPage(page.body, MOZILLA_URL, MEDIA_ID, "text/html; charset=utf-8")) for page in load_mozilla()
    ]
    return await extract(pages)


async def extract(pages: list[tuple[str, SavedPage]]) -> dict[str, Article]:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=2, seconds=60))
    outcomes = {key: await pool.extract(page) for key, page in pages}
    await pool.close()
    return {key: outcome for key, outcome in outcomes.items() if isinstance(outcome, Article)}


@pytest.mark.requirement("Kept", "a selection is found where it was made (≥ 99.5 %)")
@pytest.mark.parametrize("kind", TROUBLE)
async def test_any_selection_is_found_where_it_was_made(page: Page, kind: str) -> None:
    tally = Tally()
    await measure_selections(page, kind, make_safe(TROUBLE[kind]), tally, count=100)
    assert tally.missed + tally.wrong == []
    assert tally.total > 50


async def test_selections_in_our_own_pages_are_found_where_they_were_made(page: Page, own: dict[str, Article]) -> None:
    tally = Tally()
    for key, article in own.items():
        await measure_selections(page, key, article.html, tally, count=5)
    assert_found(tally, FOUND_WHERE_SELECTED)


@pytest.mark.requirement("Kept", "a selection is found where it was made (≥ 99.5 %)")
@pytest.mark.long
async def test_995_of_1000_selections_in_public_pages_are_found_where_they_were_made(
    page: Page, public: dict[str, Article]
) -> None:
    tally = Tally()
    for key, article in public.items():
        await measure_selections(page, key, article.html, tally)
    assert_found(tally, FOUND_WHERE_SELECTED)
    assert tally.total > 3_000


def test_spans_of_our_own_pages_are_found_in_rewritten_copies(own: dict[str, Article]) -> None:
    assert_found_again(own)


@pytest.mark.requirement("Kept", "highlights are found in a rewritten copy (≥ 95 %), none wrongly")
@pytest.mark.long
def test_95_of_100_spans_of_public_pages_are_found_in_rewritten_copies_and_none_at_a_wrong_place(
    public: dict[str, Article],
) -> None:
    assert_found_again(public)


def assert_found_again(articles: dict[str, Article]) -> None:
    tally = RewrittenTally()
    for key, article in articles.items():
        measure_rewritten(key, article.text.text, tally)
    assert_found(tally.untouched, FOUND_AGAIN)
    assert tally.untouched.wrong + tally.touched.wrong + tally.repeated.wrong == []
    assert tally.touched.total > 100


def assert_found(tally: Tally, least: float) -> None:
    print(f"{tally.found} of {tally.total} ({tally.share:.2%}) found where they are; {len(tally.wrong)} elsewhere")
    assert tally.share >= least, "\n".join(tally.missed + tally.wrong)
