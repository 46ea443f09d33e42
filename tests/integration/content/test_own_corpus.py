"""The repository's own pages, one for each kind of trouble: what is read from them, and what is not."""

import re
from collections.abc import AsyncIterator

import pytest

from kept.content.article.article import Article, ExtractFailed, Page
from kept.content.page.challenge import classify_page
from kept.content.page.decode import decode_html
from kept.content.page.description import PageKind
from kept.content.page.metadata import read_metadata
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.builders.extraction_corpus import OWN, OwnPage, count_tags, load_own, score_page
from support.fixtures.extraction import MEDIA_ID, require_node

pytestmark = pytest.mark.requirement(
    "Kept", "an article's text, figures, images, code and tables, and little else (`./bench extract`)"
)

PAGES = load_own()
ARTICLES = [page for page in PAGES if page.true_text]
OBSTACLES = [page for page in PAGES if page.kind != PageKind.CONTENT]
Outcomes = dict[str, Article | ExtractFailed]


@pytest.fixture(scope="module")
async def outcomes() -> AsyncIterator[Outcomes]:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=30))
    yield {
        page.key: await pool.extract(Page(page.body, page.url, MEDIA_ID, "text/html; charset=utf-8", 200))
        for page in PAGES
    }
    await pool.close()


def get_article(outcomes: Outcomes, page: OwnPage) -> Article:
    outcome = outcomes[page.key]
    assert isinstance(outcome, Article), outcome
    return outcome


@pytest.mark.parametrize("page", ARTICLES, ids=lambda page: page.key)
def test_the_article_is_read_and_little_else(outcomes: Outcomes, page: OwnPage) -> None:
    article = get_article(outcomes, page)
    assert page.true_text is not None
    assert score_page(page.true_text, article.text.text).f1 >= 0.97
    for text in page.absent:
        assert text not in article.text.text


@pytest.mark.parametrize("page", ARTICLES, ids=lambda page: page.key)
def test_title_excerpt_and_image_are_found(outcomes: Outcomes, page: OwnPage) -> None:
    article = get_article(outcomes, page)
    assert article.title
    assert article.title in page.body.decode()
    assert article.excerpt
    assert article.metadata.preview_image_url


@pytest.mark.parametrize("page", [page for page in PAGES if page.tags], ids=lambda page: page.key)
def test_images_tables_code_and_lists_stay(outcomes: Outcomes, page: OwnPage) -> None:
    assert count_tags(str(get_article(outcomes, page).html), page.tags) == page.tags


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_what_stands_in_the_way_is_told_from_the_page_itself(page: OwnPage) -> None:
    html = decode_html(page.body, "text/html; charset=utf-8").text
    verdict = classify_page(html, url=page.url, metadata=read_metadata(html, page.url), status=200)
    assert verdict.kind == page.kind


@pytest.mark.parametrize("page", OBSTACLES, ids=lambda page: page.key)
def test_no_article_is_made_of_what_stands_in_the_way(outcomes: Outcomes, page: OwnPage) -> None:
    assert isinstance(outcomes[page.key], ExtractFailed)


def test_every_page_is_listed_and_its_trouble_named() -> None:
    assert {path.stem for path in (OWN / "pages").glob("*.html")} == {page.key for page in PAGES}
    assert {path.stem for path in (OWN / "pages").glob("*.txt")} == {page.key for page in ARTICLES}
    assert all(page.trouble for page in PAGES)


def test_no_page_names_a_host_that_could_exist() -> None:
    """Whoever opens one of these pages in a browser asks nobody for anything."""
    for page in PAGES:
        hosts = set(re.findall(r"https?://([^/\"\s)?]+)", page.body.decode())) - {"schema.org"}
        assert all(host.endswith(".example") for host in hosts), page.key
