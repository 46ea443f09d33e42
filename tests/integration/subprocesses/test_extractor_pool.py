"""The extractor pool with real children, whatever pages and signals do to them."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from kept.config import Settings
from kept.content.article.article import Article, ExtractFailed
from kept.domain.failures import FailureCode
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from kept.subprocesses.sidecar import BUNDLE
from support.fixtures.extraction import ARTICLE_HTML, PARAGRAPH, group_of, node_of, page, require_node
from support.fixtures.waiting import until

pytestmark = pytest.mark.requirement("004", "§8, §9 the child, its time and its end")

ONE = ExtractorLimits(processes=1)
LARGE_HTML = f"<body>{PARAGRAPH * 6_000}"  # more than a pipe holds


@pytest.fixture
async def pool() -> AsyncIterator[ExtractorPool]:
    pool = ExtractorPool(require_node(), ONE)
    yield pool
    await pool.close()


@pytest.fixture
def stuck_bundle(tmp_path: Path) -> Path:
    """A sidecar that never answers, and that no interrupt of V8's would stop."""
    bundle = tmp_path / "stuck.cjs"
    bundle.write_text("process.stdin.once('data', () => { for (;;); });")
    return bundle


async def read(pool: ExtractorPool, body: bytes | str = ARTICLE_HTML) -> Article:
    outcome = await pool.extract(page(body))
    assert isinstance(outcome, Article), outcome
    return outcome


async def fail(pool: ExtractorPool, body: bytes | str = ARTICLE_HTML) -> ExtractFailed:
    outcome = await pool.extract(page(body))
    assert isinstance(outcome, ExtractFailed), outcome
    return outcome


async def test_a_process_that_was_warmed_up_has_its_node_and_reads_the_next_page(pool: ExtractorPool) -> None:
    pool.warm_up()
    await until(lambda: pool.pids)
    [started] = pool.pids
    await until(lambda: len(group_of(started)) == 2, what="its Node")
    assert isinstance(await pool.extract(page(ARTICLE_HTML)), Article)
    assert pool.pids == {started}


async def test_a_page_becomes_an_article(pool: ExtractorPool) -> None:
    article = await read(pool)
    assert article.title == "The bridge"
    assert article.text.text.count("The council met") == 5


async def test_a_drawing_of_an_article_leaves_its_words_and_a_link(pool: ExtractorPool) -> None:
    drawing = '<figure><svg viewBox="0 0 640 320"><title>The span in metres</title><path d="M0 0"/></svg></figure>'
    article = await read(pool, f"<title>The bridge</title><article>{PARAGRAPH * 3}{drawing}{PARAGRAPH * 2}</article>")
    assert 'href="https://news.example/a"' in str(article.html)
    assert "Drawing on the original page: The span in metres" in article.text.text


async def test_children_start_when_first_needed_and_are_used_again(pool: ExtractorPool) -> None:
    assert pool.pids == frozenset()
    await read(pool)
    first = pool.pids
    await read(pool)
    assert pool.pids == first
    assert len(first) == 1


async def test_no_more_children_run_than_there_are_places() -> None:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=2))
    await asyncio.gather(*(read(pool) for _ in range(6)))
    assert len(pool.pids) == 2
    await pool.close()


async def test_idle_children_are_stopped() -> None:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1, idle_seconds=0.05))
    await read(pool)
    await until(lambda: pool.pids == frozenset(), seconds=20)
    await read(pool)
    await pool.close()


async def test_closing_the_pool_ends_child_and_node() -> None:
    pool = ExtractorPool(require_node(), ONE)
    await read(pool)
    (leader,) = pool.pids
    assert len(group_of(leader)) == 2
    await pool.close()
    await until(lambda: group_of(leader) == [], seconds=20)


async def test_the_same_page_gives_the_same_bytes_in_every_process() -> None:
    node = require_node()
    pools = [ExtractorPool(node, ONE) for _ in range(2)]
    html = ARTICLE_HTML.replace("</article>", '<figure><img src="/a.jpg"></figure><a href="/b">b</a></article>')
    first, second = [await read(pool, html) for pool in pools]
    assert first == second
    for pool in pools:
        await pool.close()


async def test_without_node_extraction_fails_with_advice(tmp_path: Path) -> None:
    pool = ExtractorPool.from_settings(Settings(node=tmp_path / "absent"))
    failure = await fail(pool)
    assert failure.code is FailureCode.INGEST_FAILED
    assert "KEPT_NODE" in (failure.detail or "")
    assert "kept doctor" in failure.message


async def test_a_sidecar_that_hangs_is_killed_and_replaced(stuck_bundle: Path) -> None:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=6), stuck_bundle)
    # Started, by a page that is refused before Node sees it: a start counts towards a page's time, and takes seconds
    # on a busy machine. The child gives Node up after 4.1 s of its 6.
    assert (await fail(pool, "<div>" * 50_000)).code is FailureCode.EXTRACT_NO_CONTENT
    assert (await fail(pool)).code is FailureCode.INGEST_TIMEOUT
    (leader,) = pool.pids
    assert group_of(leader) == [leader], "Node is gone, its parent is ready for the next page"
    stuck_bundle.write_bytes(BUNDLE.read_bytes())
    await read(pool)
    assert pool.pids == {leader}
    await pool.close()


async def test_a_sidecar_killed_in_the_middle_of_a_page_is_replaced(pool: ExtractorPool) -> None:
    await read(pool)
    (leader,) = pool.pids
    node = node_of(leader)
    os.kill(node, signal.SIGSTOP)  # so that it cannot have answered before it is killed
    reader = psutil.Process(leader)
    read_before = reader.io_counters().read_chars
    request = asyncio.create_task(fail(pool, LARGE_HTML))
    # It has the page, and sleeps because Node does not take it.
    await until(lambda: reader.io_counters().read_chars > read_before + len(LARGE_HTML), seconds=20)
    await until(lambda: reader.status() == psutil.STATUS_SLEEPING, seconds=20)
    os.kill(node, signal.SIGKILL)
    assert (await request).code is FailureCode.INGEST_FAILED
    await read(pool)
    assert node not in group_of(leader)


async def test_a_sidecar_killed_between_two_pages_costs_no_page(pool: ExtractorPool) -> None:
    await read(pool)
    (leader,) = pool.pids
    os.kill(node_of(leader), signal.SIGKILL)
    await until(lambda: group_of(leader) == [leader], seconds=20)
    await read(pool)


async def test_a_child_killed_in_the_middle_of_a_page_is_replaced_and_its_node_goes_too(pool: ExtractorPool) -> None:
    await read(pool)
    (leader,) = pool.pids
    os.kill(leader, signal.SIGSTOP)
    request = asyncio.create_task(fail(pool, LARGE_HTML))
    await asyncio.sleep(0.05)  # it is sent, or it is not: the child cannot have read it
    os.kill(leader, signal.SIGKILL)
    assert (await request).code is FailureCode.INGEST_FAILED
    await until(lambda: group_of(leader) == [], seconds=20)
    await read(pool)
    assert leader not in pool.pids


async def test_a_child_that_takes_too_long_is_killed_with_its_node() -> None:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=5))
    await read(pool)
    (leader,) = pool.pids
    os.kill(leader, signal.SIGSTOP)
    assert (await fail(pool)).code is FailureCode.INGEST_TIMEOUT
    await until(lambda: group_of(leader) == [], seconds=20)
    await read(pool)
    await pool.close()


async def test_a_cancelled_request_leaves_no_child_in_the_middle_of_a_page(pool: ExtractorPool) -> None:
    await read(pool)
    (leader,) = pool.pids
    os.kill(leader, signal.SIGSTOP)
    request = asyncio.create_task(pool.extract(page()))
    await asyncio.sleep(0.05)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await until(lambda: group_of(leader) == [], seconds=20)
    await read(pool)


async def test_a_page_that_needs_too_much_memory_fails_alone() -> None:
    pool = ExtractorPool(require_node(), ExtractorLimits(processes=1, seconds=60, memory_bytes=120 * 1024 * 1024))
    assert (await fail(pool, b"<p>" + b"word " * 6_000_000)).code is FailureCode.INGEST_FAILED
    await read(pool)
    await pool.close()


async def test_children_do_not_see_our_settings(pool: ExtractorPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT_DATABASE_URL", "postgresql://user:password@host/name")
    await read(pool)
    (leader,) = pool.pids
    for pid in group_of(leader):
        assert "KEPT_DATABASE_URL" not in psutil.Process(pid).environ()


async def test_nothing_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        textwrap.dedent(
            """
            import asyncio, sys
            from pathlib import Path
            from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
            from support.fixtures.extraction import page

            async def main():
                pool = ExtractorPool(Path(sys.argv[1]), ExtractorLimits(processes=1))
                await pool.extract(page())
                print(*pool.pids, flush=True)
                await asyncio.sleep(60)

            asyncio.run(main())
            """
        )
    )
    tests = str(Path(__file__).parents[2])
    parent = subprocess.Popen(
        [sys.executable, str(script), str(require_node())],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": tests},
    )
    assert parent.stdout is not None
    leader = int(await asyncio.to_thread(parent.stdout.readline))
    assert len(group_of(leader)) == 2
    parent.kill()
    parent.wait()
    parent.stdout.close()
    await until(lambda: group_of(leader) == [], seconds=20)
