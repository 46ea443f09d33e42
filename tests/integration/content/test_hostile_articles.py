"""Documents that only a killable child may parse as a whole: each ends in time, and the next page is read as ever."""

import time
from collections.abc import AsyncIterator, Callable

import pytest

from kept.content.article.article import Article, ExtractFailed
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from support.fixtures.extraction import page, require_node
from support.hostile.hostile_documents import HOSTILE, ONLY_FOR_A_CHILD

pytestmark = pytest.mark.requirement("Kept", "a page made to be slow costs bounded time (`./bench hostile`)")

LIMITS = ExtractorLimits(processes=1)


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ExtractorPool]:
    pool = ExtractorPool(require_node(), LIMITS)
    yield pool
    await pool.close()


@pytest.mark.parametrize("make", [HOSTILE[name] for name in sorted(ONLY_FOR_A_CHILD)], ids=sorted(ONLY_FOR_A_CHILD))
async def test_a_hostile_article_is_a_clear_failure_in_time(pool: ExtractorPool, make: Callable[[], bytes]) -> None:
    hostile = page(make())
    started_at = time.monotonic()
    outcome = await pool.extract(hostile)
    assert time.monotonic() - started_at < LIMITS.seconds + 2
    assert isinstance(outcome, ExtractFailed)
    assert outcome.message
    assert isinstance(await pool.extract(page()), Article)
