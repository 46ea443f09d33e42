"""Passages selected in the reader of a real Kept, in a real browser, and marked through the API."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from playwright.async_api import Browser

from kept.clock import utc_now
from kept.config import Settings
from kept.content.article.article import Article
from kept.content.article.article import Page as SavedPage
from kept.content.article.sanitise import SanitisedArticle
from kept.domain.highlight import Quote, Span
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.builders.articles import store_sanitised
from support.builders.extraction_corpus import (
    ARTICLES,
    MOZILLA,
    MOZILLA_IS_ABSENT,
    MOZILLA_URL,
    load_articles,
    load_mozilla,
)
from support.fixtures.extraction import require_node
from support.fixtures.highlight_measures import Finder, Tally, measure_shown
from support.servers.desk import sit_down
from support.servers.serving import Person, RunningKept, run_kept

FOUND_WHERE_SELECTED = 0.995
HTML = "text/html; charset=utf-8"


@pytest.fixture
async def unhurried(sqlite_url: str, tmp_path: Path) -> AsyncIterator[RunningKept]:
    """One that lets somebody mark three thousand passages in a minute."""
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, save_rate="100000/minute")
    async with run_kept(settings) as kept:
        yield kept


def list_pages() -> Iterator[tuple[str, bytes, str]]:
    yield from ((page.key, page.body, page.url) for page in load_articles())
    yield from ((page.key, page.body, MOZILLA_URL) for page in load_mozilla())


async def keep_article(
    running: RunningKept, person: Person, pool: ExtractorPool, number: int, page: tuple[str, bytes, str]
) -> tuple[str, UUID, Article] | None:
    """Saved, and extracted as it would be by a worker; None for a page that has no article."""
    item = await person.save(f"https://site.example/{number}", wait=False)
    media_id = UUID(item["media_id"])
    article = await pool.extract(SavedPage(page[1], page[2], media_id, HTML))
    if not isinstance(article, Article):
        return None
    store_sanitised(running.kept.database, media_id, SanitisedArticle(article.html, article.images), utc_now())
    return item["id"], media_id, article


def mark_through_api(person: Person, media_id: UUID) -> Finder:
    async def mark(quote: Quote, hint: int) -> Span | None:
        said = {"exact": quote.exact, "prefix": quote.prefix, "suffix": quote.suffix, "hint": hint}
        answer = await person.post(f"/api/v1/media/{media_id}/highlights", said)
        return Span(answer.data["start"], answer.data["end"]) if answer.status == 201 else None

    return mark


@pytest.mark.long
async def test_995_of_1000_passages_marked_through_the_api_are_where_they_were_selected(
    unhurried: RunningKept, browser: Browser
) -> None:
    if not ARTICLES.is_dir() or not MOZILLA.is_dir():
        pytest.skip(MOZILLA_IS_ABSENT)
    ann = await unhurried.make_person("ann")
    pool, tally, pages = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=60)), Tally(), 0
    async with sit_down(browser, unhurried.address) as desk:
        await desk.page.route("**/api/images/*", lambda route: route.abort())
        await desk.sign_in("ann")
        for number, page in enumerate(list_pages()):
            kept = await keep_article(unhurried, ann, pool, number, page)
            if kept is not None:
                item_id, media_id, article = kept
                await desk.go(f"/read/{item_id}")
                await measure_shown(desk.page, page[0], article.html, tally, mark_through_api(ann, media_id))
                pages += 1
    await pool.close()
    print(
        f"{tally.found} of {tally.total} ({tally.share:.2%}) on {pages} pages; {len(tally.wrong)} elsewhere",
        *tally.missed,
    )
    assert tally.share >= FOUND_WHERE_SELECTED, "\n".join(tally.missed + tally.wrong)
    assert (pages, tally.total) >= (150, 3_000)
