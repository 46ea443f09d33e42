"""Pages that do not want to end: each ends inside its deadline, for the right reason, and leaves no process."""

import asyncio
import os
import time

import psutil
import pytest

from kept.domain.failures import FailureCode
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import FetchReason
from kept.fetch.proxy import ProxyLimits
from kept.subprocesses.tree import find_by_argument, find_descendants, kill, read_private_bytes
from support.servers.browsers import MakePool, MakeSite, Stage, get_failure, get_html, page, render

DEADLINE = 5.0
# What a visit may overrun its deadline by on a machine whose cores are all busy; it is stopped 0.5 s before it.
SLACK = 1.0
MIB = 1024 * 1024


def find_browsers(stage: Stage, argument: str = "") -> list[psutil.Process]:
    found = find_by_argument(f"{stage.home}/kept-browser-")
    return [process for process in found if argument in " ".join(process.info["cmdline"])]


@pytest.mark.parametrize(
    "script",
    [
        "while (true);",
        "while (true) alert('again');",
        pytest.param("setTimeout(() => { while (true); }, 0)", marks=pytest.mark.long),
        pytest.param("for (;;) history.pushState({}, '', '/' + Math.random())", marks=pytest.mark.long),
        pytest.param("onbeforeunload = () => 'stay'; while (true) confirm('x');", marks=pytest.mark.long),
        pytest.param("(async () => { while (true) await null; })()", marks=pytest.mark.long),
    ],
)
async def test_a_page_that_never_gives_way_is_stopped_and_its_browser_killed(stage: Stage, script: str) -> None:
    stage.play({"/": page(f"<p>text</p><script>{script}</script>")})

    began = time.monotonic()
    outcome = await stage.render(screenshot=True, seconds=DEADLINE)
    took = time.monotonic() - began

    failure = get_failure(outcome)
    assert (failure.reason, failure.code) == (FetchReason.RENDER_TIMED_OUT, FailureCode.INGEST_TIMEOUT)
    assert failure.is_transient
    assert took < DEADLINE + SLACK
    assert find_browsers(stage) == []


async def test_a_page_whose_html_never_ends_is_stopped(stage: Stage) -> None:
    async def trickle(_request: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>first")
        while not writer.is_closing():
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.2)

    stage.play(trickle)

    began = time.monotonic()
    outcome = await stage.render(seconds=DEADLINE)

    assert get_failure(outcome).reason is FetchReason.RENDER_TIMED_OUT
    assert time.monotonic() - began < DEADLINE + SLACK
    assert find_browsers(stage) == []


async def test_a_page_whose_pictures_never_come_is_shown_without_them(stage: Stage) -> None:
    async def answer(request: object, writer: asyncio.StreamWriter) -> None:
        if getattr(request, "target", "") == "/":
            text = "text " * 200
            writer.write(page(f"<p>text</p>{text}<img src=/never><script src=/late async></script>"))
        else:
            await asyncio.Event().wait()

    stage.play(answer)

    seen = await stage.render(screenshot=True)

    assert "<p>text</p>" in get_html(seen)
    assert isinstance(seen, Rendered)
    assert seen.thumbnail is not None


async def test_a_page_that_opens_200_popups_opens_none(stage: Stage) -> None:
    script = "let n = 0; for (let i = 0; i < 200; i++) if (open('/popup' + i)) n++; document.title = 'opened ' + n;"
    stage.play({"/": page(f"<script>{script}</script><p>text</p>")})

    seen = await stage.render(screenshot=True)

    assert isinstance(seen, Rendered)
    assert seen.title == "opened 0"
    assert stage.asked == ["/"]


@pytest.mark.parametrize(
    "script",
    [
        # outside the JavaScript heap, where only the limit of the process counts
        "for (let i = 0; i < 200; i++) { const block = new Uint8Array(10 << 20); block.fill(1); kept.push(block); }",
        # inside it
        pytest.param("for (let i = 0; i < 2e8; i++) kept.push('text ' + i);", marks=pytest.mark.long),
        # the page itself
        pytest.param(
            "for (let i = 0; i < 1e8; i++) document.body.append(document.createElement('p'));", marks=pytest.mark.long
        ),
    ],
)
async def test_a_page_that_takes_two_gigabytes_does_not_get_them(
    make_pool: MakePool, site: MakeSite, script: str
) -> None:
    here = await site({"/": page(f"<body><script>const kept = []; {script}</script>")})
    pool = make_pool(here.allowed, memory_bytes=768 * MIB)
    peak = 0

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, *(read_private_bytes(process.pid) for process in find_descendants(os.getpid())), 0)
            await asyncio.sleep(0.1)

    watching = asyncio.ensure_future(watch())
    began = time.monotonic()
    outcome = await render(pool, here.url(), seconds=20)
    watching.cancel()

    assert time.monotonic() - began < 20 + SLACK
    assert peak < 900 * MIB
    if not isinstance(outcome, Rendered):  # the page may also survive: its script is told there is no more
        assert outcome.reason in {
            FetchReason.PAGE_CRASHED,
            FetchReason.OUT_OF_MEMORY,
            FetchReason.RENDER_TIMED_OUT,
        }


async def test_a_browser_that_outgrows_its_memory_as_a_whole_is_ended(make_pool: MakePool, site: MakeSite) -> None:
    here = await site({"/": page("<p>text</p>")})
    pool = make_pool(here.allowed, memory_bytes=160 * MIB)

    outcome = get_failure(await render(pool, here.url()))

    assert outcome.reason in {FetchReason.OUT_OF_MEMORY, FetchReason.BROWSER_FAILED}


async def test_a_page_whose_process_dies_is_said_to_have_crashed(stage: Stage) -> None:
    loaded = asyncio.Event()

    async def answer(request: object, writer: asyncio.StreamWriter) -> None:
        if getattr(request, "target", "") == "/":
            writer.write(page("<script src=/wait></script>"))
        else:
            loaded.set()
            await asyncio.Event().wait()

    stage.play(answer)
    visit = asyncio.ensure_future(stage.render())
    await asyncio.wait_for(loaded.wait(), 20)

    kill(find_browsers(stage, "--type=renderer"))

    assert get_failure(await visit).reason is FetchReason.PAGE_CRASHED
    assert find_browsers(stage) == []


@pytest.mark.parametrize("part", ["NetworkService", "--type=renderer"])
async def test_a_browser_that_loses_a_part_before_the_page_came_is_no_fault_of_the_page(
    stage: Stage, part: str
) -> None:
    """Whatever Chromium makes of it: either the page is read all the same, or it is tried again."""
    asked = asyncio.Event()

    async def answer(request: object, writer: asyncio.StreamWriter) -> None:
        is_first = not asked.is_set()
        asked.set()
        await asyncio.sleep(1.0 if is_first else 0)
        writer.write(page("<p>text</p>"))

    stage.play(answer)
    visit = asyncio.ensure_future(stage.render(seconds=12))
    await asyncio.wait_for(asked.wait(), 20)
    kill(find_browsers(stage, part))

    outcome = await visit
    assert isinstance(outcome, Rendered) or outcome.is_transient, outcome


async def test_a_page_over_its_traffic_limit_is_refused(make_pool: MakePool, site: MakeSite) -> None:
    async def flood(_request: object, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        for _ in range(64):
            writer.write(b"<p>" + b"x" * 65536)
            await writer.drain()
        writer.close()

    here = await site(flood)
    pool = make_pool(here.allowed, limits=ProxyLimits(visit_bytes=1 * MIB))

    outcome = await render(pool, here.url(), seconds=20)

    assert get_failure(outcome).reason is FetchReason.TOO_LARGE


async def test_after_a_fault_the_next_page_is_rendered_as_if_nothing_had_happened(stage: Stage) -> None:
    stage.play({"/loop": page("<script>while (true);</script>"), "/": page("<p>fine</p>")})
    await stage.render("/loop", seconds=4)

    assert "<p>fine</p>" in get_html(await stage.render())
