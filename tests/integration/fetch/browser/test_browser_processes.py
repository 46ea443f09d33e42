"""Browsers come when they are needed and go when they are not, whoever is killed in between."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from kept.fetch.browser import folders
from kept.fetch.outcome import FetchReason
from kept.subprocesses.tree import find_by_argument, kill
from support.fixtures.waiting import until
from support.servers.browsers import MakePool, MakeSite, get_failure, get_html, page, render

REPOSITORY = Path(__file__).parents[4]
WORKER = Path(__file__).with_name("one_worker.py")


def browsers_in(home: Path) -> list[psutil.Process]:
    return find_by_argument(f"{home}/")


soon = partial(until, seconds=20.0)


async def test_nothing_is_started_before_the_first_page(make_pool: MakePool, home: Path) -> None:
    pool = make_pool()
    refused = await render(pool, "http://10.0.0.1/")

    assert get_failure(refused).reason is FetchReason.FORBIDDEN_ADDRESS
    assert os.listdir(home) == []


async def test_a_browser_is_used_again_and_replaced_after_so_many_pages(
    make_pool: MakePool, site: MakeSite, home: Path
) -> None:
    here = await site({"/": page("<p>text</p>")})
    pool = make_pool(here.allowed, max_pages=2)

    homes = []
    for _ in range(3):
        get_html(await render(pool, here.url()))
        homes.append({path.name for path in home.glob("kept-browser-*")})

    assert len(homes[0]) == 1
    assert homes[1] == set()
    assert len(homes[2]) == 1
    assert homes[2] != homes[0]


async def test_an_idle_browser_is_closed(make_pool: MakePool, site: MakeSite, home: Path) -> None:
    here = await site({"/": page("<p>text</p>")})
    pool = make_pool(here.allowed, idle_seconds=0.5)
    get_html(await render(pool, here.url()))

    await soon(lambda: not browsers_in(home) and not os.listdir(home))


async def test_an_idle_browser_that_died_is_replaced(make_pool: MakePool, site: MakeSite, home: Path) -> None:
    here = await site({"/": page("<p>text</p>")})
    pool = make_pool(here.allowed)
    get_html(await render(pool, here.url()))

    kill(browsers_in(home))
    await soon(lambda: not browsers_in(home))

    assert "text" in get_html(await render(pool, here.url()))


async def test_a_cancelled_visit_leaves_no_process(make_pool: MakePool, site: MakeSite, home: Path) -> None:
    here = await site({"/": page("<script>while (true);</script>")})
    pool = make_pool(here.allowed)
    visit = asyncio.ensure_future(render(pool, here.url()))
    await soon(lambda: here.requests)

    visit.cancel()
    with pytest.raises(asyncio.CancelledError):
        await visit

    assert browsers_in(home) == []
    assert os.listdir(home) == []


async def test_a_browser_that_cannot_start_is_a_failure_that_says_so(make_pool: MakePool, tmp_path: Path) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)

    outcome = await render(make_pool(executable=broken), "http://example.com/")

    assert get_failure(outcome).reason is FetchReason.BROWSER_FAILED


async def test_a_browser_that_has_nowhere_to_live_is_a_failure_that_says_so(make_pool: MakePool, home: Path) -> None:
    outcome = await render(make_pool(folder_parent=home / "absent"), "http://example.com/")

    assert get_failure(outcome).reason is FetchReason.BROWSER_FAILED


@contextlib.asynccontextmanager
async def run_worker(
    url: str, allowed: str, home: Path, *prefix: str, **environment: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    worker = await asyncio.create_subprocess_exec(
        *(prefix or (sys.executable,)),
        str(WORKER),
        json.dumps({"url": url, "allowed": allowed, "home": str(home)}),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    try:
        yield worker
    finally:
        with contextlib.suppress(ProcessLookupError):
            worker.kill()
        await worker.wait()


def find_child(home: Path) -> psutil.Process:
    (child,) = (process for process in find_by_argument("kept.fetch.browser.visitor") if is_in(process, home))
    return child


def is_in(process: psutil.Process, home: Path) -> bool:
    try:
        return home in Path(process.cwd()).parents
    except psutil.Error:  # another test's, and gone
        return False


@pytest.mark.parametrize("also_kill_the_child", [False, True])
async def test_when_a_worker_is_killed_its_browser_goes_too_and_the_next_one_cleans_up(
    site: MakeSite, home: Path, also_kill_the_child: bool
) -> None:
    here = await site({"/": page("<script>while (true);</script>")})
    async with run_worker(here.url(), here.allowed, home) as worker:
        await soon(lambda: here.requests)
        doomed = [find_child(home)] if also_kill_the_child else []
        assert len(browsers_in(home)) >= 4

        kill([psutil.Process(worker.pid), *doomed])

        await soon(lambda: browsers_in(home) == [])
    assert folders.clear_orphans(home) == 1


async def test_when_the_child_is_killed_nothing_of_it_is_left(site: MakeSite, make_pool: MakePool, home: Path) -> None:
    here = await site({"/": page("<script>while (true);</script>")})
    visit = asyncio.ensure_future(render(make_pool(here.allowed), here.url()))
    await soon(lambda: here.requests)

    kill([find_child(home)])

    assert get_failure(await visit).reason is FetchReason.BROWSER_FAILED
    assert browsers_in(home) == []


async def test_an_ordinary_user_gets_the_sandbox(site: MakeSite, home: Path, chromium_program: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("NOT RUN: only root can become another user; but then every other test here has the sandbox")
    python = shutil.which(f"python{sys.version_info.major}.{sys.version_info.minor}", path="/usr/bin")
    if python is None or shutil.which("setpriv") is None:
        pytest.skip("NOT RUN: no Python that another user may run")
    here = await site({"/": page("<p>drawn</p>")})
    shutil.chown(home, "nobody", "nogroup")
    become = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", python)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(home)}

    async with run_worker(here.url(), here.allowed, home, *become, **environment) as worker:
        assert worker.stdout is not None
        answer = json.loads(await asyncio.wait_for(worker.stdout.readline(), 60))

    assert answer["outcome"] == "rendered", answer
    assert "<p>drawn</p>" in answer["html"]
    assert answer["sandbox"] is True
    # Seccomp mode 2 is a filter, which a sandboxed renderer puts on itself while it starts.
    assert ["2", False] in answer["renderers"]
    assert not any(unguarded for _, unguarded in answer["renderers"])
    await soon(lambda: browsers_in(home) == [])
    for folder in home.iterdir():  # it was stopped before it could clear up
        shutil.rmtree(folder)
