"""Cards are read in child processes: the same card as in this one, and no page holds up the next."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
import pytest

from kept.content.page.card import read_card
from kept.subprocesses import cards as cards_module
from kept.subprocesses.cards import CardPool
from support.fixtures.pauses import measure_pauses
from support.fixtures.waiting import until
from support.hostile.hostile_documents import HOSTILE_CARDS

URL = "https://news.example/a"
PAGE = (
    '<html lang="de"><title>Über Brücken</title><meta property="og:image" content="/i.jpg">'
    '<meta property="article:published_time" content="2026-01-02T03:04:05+01:00">'
    f"<article>{'<p>Wer über die Brücke geht, sieht die Stadt von ihrer schönsten Seite, sagt man. </p>' * 20}"
).encode()
# A minute of work for lexbor that the bounds let pass: they take what stands in a drawing's title for mere text.
MINUTES = HOSTILE_CARDS["100,000 attributes in a drawing's title"]()


@asynccontextmanager
async def card_pool(*, seconds: float = 30.0) -> AsyncIterator[CardPool]:
    pool = CardPool(parsed_bytes=1024 * 1024, seconds=seconds)
    try:
        yield pool
    finally:
        await pool.close()


async def test_a_card_comes_back_as_it_was_read() -> None:
    async with card_pool() as pool:
        card = await pool.read(PAGE, content_type="text/html; charset=utf-8", url=URL)
    assert card == read_card(PAGE, content_type="text/html; charset=utf-8", url=URL)
    assert card.metadata.title == "Über Brücken"
    assert card.metadata.published_at is not None


async def test_a_page_that_takes_too_long_has_no_card_and_the_next_one_has() -> None:
    async with card_pool(seconds=1.0) as pool, measure_pauses() as pauses:
        assert await pool.read(MINUTES, content_type="text/html", url=URL) is None
        assert pauses.longest_seconds < 1.0
    async with card_pool() as pool:
        assert await pool.read(PAGE, content_type=None, url=URL) is not None


async def test_cards_of_one_moment_share_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards_module, "PATIENCE_SECONDS", 30.0)  # enough for a busy machine too
    async with card_pool() as pool:
        pool.warm_up()  # as every save does
        cards = await asyncio.gather(*(pool.read(PAGE, content_type=None, url=URL) for _ in range(8)))
        assert None not in cards
        assert len(pool.pids) == 1


async def test_a_page_that_hangs_leaves_another_process_to_the_next() -> None:
    async with card_pool() as pool:
        hanging = asyncio.create_task(pool.read(MINUTES, content_type="text/html", url=URL))
        await until(lambda: len(pool.pids) == 1)
        assert await pool.read(PAGE, content_type=None, url=URL) is not None
        assert not hanging.done()
        assert len(pool.pids) == 2
        hanging.cancel()


async def test_a_process_is_started_ahead_and_used() -> None:
    async with card_pool() as pool:
        pool.warm_up()
        pool.warm_up()
        await until(lambda: len(pool.pids) == 1)
        started = pool.pids
        assert await pool.read(PAGE, content_type=None, url=URL) is not None
        assert pool.pids == started
    assert not any(psutil.pid_exists(pid) for pid in started)
