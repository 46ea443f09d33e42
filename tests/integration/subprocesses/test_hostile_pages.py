"""Pages made to hurt: each ends in time with a value, and the worker is as fit as before."""

import time
from collections.abc import AsyncIterator

import psutil
import pytest

from kept.content.article.article import Article, ExtractFailed
from kept.domain.failures import FailureCode
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.fixtures.extraction import PARAGRAPH, group_of, page, require_node

pytestmark = pytest.mark.requirement("Kept", "a page that crashes its browser or reader fails alone")

MEGABYTE = 1024 * 1024
PROSE = PARAGRAPH.encode()

HOSTILE: dict[str, bytes] = {
    "50,000 nested tags": b"<div>" * 50_000 + PROSE,
    "10 MB of one paragraph": b"<p>" + b"word " * (2 * MEGABYTE),
    "50,000 links": b"<body>" + b'<a href="/x">link text</a> ' * 50_000,
    "20,000 table rows": b"<table>" + b"<tr><td>some cell</td><td>2</td></tr>" * 20_000 + b"</table>",
    "a 5 MB attribute": b'<p title="' + b"a" * (5 * MEGABYTE) + b'">' + PROSE,
    "150,000 unclosed links": b"<a>" * 150_000,
    "60,000 hidden spans": b"<p>" + b'<span class="share sr-only">x</span>' * 60_000,
    "300,000 elements": b"<b>" * 300_000,
    "bytes without sense": bytes(range(256)) * 8_000,
}
READABLE: dict[str, bytes] = {
    "NUL bytes": b"\0<p>\0" + PROSE * 5 + b"\0",
    "a wrong charset": "<meta charset=utf-8><p>café ".encode("latin-1") + PROSE * 5,
    "UTF-16": f"<p>Brücke</p>{PARAGRAPH * 5}".encode("utf-16"),
}


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ExtractorPool]:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1))
    yield pool
    await pool.close()


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
async def test_a_hostile_page_ends_in_time_and_harms_nobody(pool: ExtractorPool, body: bytes) -> None:
    started_at = time.monotonic()
    outcome = await pool.extract(page(body))
    assert time.monotonic() - started_at < 10
    assert isinstance(outcome, (Article, ExtractFailed))
    assert isinstance(await pool.extract(page()), Article)
    assert held_memory(pool) < 450 * MEGABYTE


@pytest.mark.parametrize("body", READABLE.values(), ids=READABLE.keys())
async def test_odd_bytes_are_read_all_the_same(pool: ExtractorPool, body: bytes) -> None:
    outcome = await pool.extract(page(body))
    assert isinstance(outcome, Article)
    assert "\0" not in str(outcome.html)
    assert outcome.text.text.count("The council met") == 5


async def test_an_empty_page_has_no_content(pool: ExtractorPool) -> None:
    outcome = await pool.extract(page(b""))
    assert isinstance(outcome, ExtractFailed)
    assert outcome.code is FailureCode.EXTRACT_NO_CONTENT


def held_memory(pool: ExtractorPool) -> int:
    return sum(psutil.Process(pid).memory_info().rss for leader in pool.pids for pid in group_of(leader))
