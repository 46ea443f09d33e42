"""Articles that their site shows on several pages: joined, or not, within bounds, and honest about what is missing."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest
from aiohttp import web
from sqlalchemy import select

from kept.clock import utc_now
from kept.content.article.article import count_words
from kept.domain.attempt import AttemptRecord
from kept.domain.job import Queue
from kept.domain.joined_pages import MissingPages
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.storage import tables
from kept.storage.queue.claiming import reserve_turn
from kept.subprocesses.extraction import ExtractorPool
from support.builders.articles import get_media, list_history
from support.fixtures.databases import on_both_databases
from support.fixtures.transactions import reading, writing
from support.fixtures.waiting import until
from support.servers import patient_worker
from support.servers.commands import environment
from support.servers.origin import Origin, article
from support.servers.serving import PATIENT, Person, RunningKept, change_limits, run_kept, settings_reaching
from support.servers.working import Worker, run_worker

pytestmark = pytest.mark.requirement("Kept", "articles on several pages are joined, ten at most")

Link = Callable[[int], str]


def prose(number: int) -> str:
    """Different on each page, as an article's are."""
    lines = (
        f"On day {number}.{line} the boats of the harbour went out at dawn, and at noon number {number * line} came "
        f"back with a story that nobody in the town of the year {1900 + number * 7 + line} had heard before."
        for line in range(1, 7)
    )
    return "".join(f"<p>{line}</p>" for line in lines)


def pager(last: int) -> Link:
    """ "1 2 3": the page itself is no link."""
    return lambda number: " ".join(
        str(other) if other == number else f'<a href="/story/{other}">{other}</a>' for other in range(1, last + 1)
    )


def write(number: int, beside: str = "", title: str = "The harbour") -> str:
    return article(title, body=f"<article>{prose(number)}</article><div class=pager>{beside}</div>")


def offer(origin: Origin, last: int, link: Link | None = None, title: str = "The harbour") -> str:
    """A story of so many pages; returns the URL of the first."""
    link = link or pager(last)
    for number in range(2, last + 1):
        origin.page(f"/story/{number}", write(number, link(number), title))
    return origin.page("/story", write(1, link(1), title))


def text_of(saving: RunningKept, item: Any) -> str:
    with reading(saving.kept.database) as tx:
        query = select(tables.fragments.c.canonical_text).where(tables.fragments.c.media_id == UUID(item["media_id"]))
        return str(tx.execute(query).scalar_one())


def how_it_ended(saving: RunningKept, item: Any) -> AttemptRecord:
    lines = list_history(saving, item)
    return next(line.record for line in lines if line.to_state == ProcessingStatus.READY_FOR_READING)


def pages_in(saving: RunningKept, item: Any) -> list[int]:
    """Which pages the article has, in its order."""
    media = get_media(saving, item)
    assert media.is_readable, (media.processing_status, media.failure_message, list_history(saving, item)[-1].record)
    text = text_of(saving, item)
    found = [(text.index(f"On day {number}.1 "), number) for number in range(1, 13) if f"On day {number}.1 " in text]
    assert all(text.count(f"On day {number}.1 ") == 1 for _, number in found)
    return [number for _, number in sorted(found)]


async def save_and_work(saving: RunningKept, ann: Person, worker: Worker, url: str) -> tuple[Any, Media]:
    item = await ann.save(url)
    await worker.work_off()
    return item, get_media(saving, item)


@pytest.fixture
async def saving(saving_url: str, tmp_path: Path, origin: Origin) -> AsyncIterator[RunningKept]:
    """One that does not wait between two pages of a site."""
    async with run_kept(settings_reaching(origin, saving_url, tmp_path, host_gap_seconds=0.0, limits=PATIENT)) as kept:
        yield kept


# --- joined ----------------------------------------------------------------------------------------------------------


@on_both_databases
async def test_pages_of_an_article_become_one_article(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item, found = await save_and_work(saving, ann, worker, offer(origin, 3))
    assert pages_in(saving, item) == [1, 2, 3]
    assert (found.canonical_url, found.title, found.missing_pages) == (origin.url("/story"), "The harbour", None)
    assert found.word_count == count_words(text_of(saving, item))
    assert dict(origin.requests) == {"/story": 1, "/story/2": 1, "/story/3": 1}
    record = how_it_ended(saving, item)
    assert (record.pages, record.missing_pages) == (3, None)
    page = (await ann.get(f"/history/{item['id']}")).body.decode()
    assert "Joined from 3 pages of the site." in page


async def test_rel_next_is_followed_where_the_next_page_has_the_same_title(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    def link(number: int) -> str:
        return f'<a rel="next" href="/story/{number + 1}">on</a>' if number < 3 else ""

    item, _ = await save_and_work(saving, ann, worker, offer(origin, 3, link))
    assert pages_in(saving, item) == [1, 2, 3]


async def test_a_page_fetched_by_the_worker_is_joined_too(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item = await ann.save(offer(origin, 2), wait=False)
    await worker.work_off()
    assert pages_in(saving, item) == [1, 2]


# --- not joined ------------------------------------------------------------------------------------------------------


async def test_the_next_article_is_no_next_page(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.page("/story/2", write(2, title="Another story"))
    origin.page("/other", write(3))
    url = origin.page("/story", write(1, '<a rel=next href="/story/2">Next</a><a rel=next href="/other">Next</a>'))
    item, found = await save_and_work(saving, ann, worker, url)
    assert (pages_in(saving, item), found.missing_pages) == ([1], None)
    assert dict(origin.requests) == {"/story": 1, "/story/2": 1}


async def test_pages_of_comments_and_of_lists_are_not_joined(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    posts = '<article><h2><a href="/a">A post</a></h2><p>Its teaser.</p></article>' * 4
    numbers = '<a href="/story/2">2</a>'
    urls = [
        origin.page("/story", write(1, f"<div class=comments>{numbers}</div>")),
        origin.page("/list", article(body=f"<main>{prose(1)}</main>{posts}<a href=/list/2>2</a>")),
        origin.page("/tag/harbours", write(1, '<a href="/tag/harbours/2">2</a>')),
    ]
    for url in urls:
        item = await ann.save(url)
        await worker.work_off()
        assert get_media(saving, item).is_readable
    assert set(origin.requests) == {"/story", "/list", "/tag/harbours"}


async def test_a_page_that_repeats_the_article_is_not_joined(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """Its comments have pages, and nothing says that they are comments."""
    origin.page("/story/2", write(1, "<p>Other comments than before.</p>"))
    item, found = await save_and_work(saving, ann, worker, origin.page("/story", write(1, pager(2)(1))))
    assert (pages_in(saving, item), found.missing_pages) == ([1], None)


async def test_pages_that_lead_round_in_a_circle_are_read_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, rules: Path
) -> None:
    (rules / "circle.toml").write_text('hosts = ["127.0.0.1"]\nnext_page = ".on"')
    origin.page("/b", write(2, '<a class=on href="/c">on</a>'))
    origin.page("/c", write(3, '<a class=on href="/a">on</a>'))
    item, found = await save_and_work(saving, ann, worker, origin.page("/a", write(1, '<a class=on href="/b">on</a>')))
    assert (pages_in(saving, item), found.missing_pages) == ([1, 2, 3], None)
    assert dict(origin.requests) == {"/a": 1, "/b": 1, "/c": 1}
    assert how_it_ended(saving, item).site_rule == "applied"


# --- what is missing is told -----------------------------------------------------------------------------------------


async def test_ten_pages_are_joined_and_the_reader_is_told_that_there_are_more(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    item, found = await save_and_work(saving, ann, worker, offer(origin, 11))
    assert pages_in(saving, item) == list(range(1, 11))
    assert origin.requests["/story/11"] == 0
    assert found.missing_pages == MissingPages(11, 11)
    page = (await ann.get(f"/read/{item['id']}")).body.decode()
    assert "The article goes on: Kept joins 10 pages at most." in page


async def test_a_page_that_fails_leaves_what_came_before_and_the_reader_is_told(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    url = offer(origin, 5)
    origin.page("/story/3", "<p>Oops</p>", status=500)
    item, found = await save_and_work(saving, ann, worker, url)
    assert (pages_in(saving, item), found.missing_pages) == ([1, 2], MissingPages(3, 5))
    assert dict(origin.requests) == {"/story": 1, "/story/2": 1, "/story/3": 1}
    record = how_it_ended(saving, item)
    assert (record.pages, record.missing_pages) == (2, (3, 5))
    for path in (f"/read/{item['id']}", f"/history/{item['id']}"):
        assert "Pages 3 to 5 could not be fetched." in (await ann.get(path)).body.decode()
    # a card that is filled again says nothing of the pages, and takes nothing back
    await ann.post(f"/api/v1/items/{item['id']}/enrich")
    assert get_media(saving, item).missing_pages == MissingPages(3, 5)


async def test_a_slow_page_is_waited_for_as_long_as_for_an_answer(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    url, released = offer(origin, 3), asyncio.Event()

    async def hang(request: web.BaseRequest) -> web.StreamResponse:
        await released.wait()
        return web.Response(text=write(3), content_type="text/html")

    origin.on("/story/3", hang)
    settings = change_limits(saving.kept.settings, fetch_read_seconds=0.5)
    async with run_worker(saving, extractors, settings) as worker:
        item, found = await save_and_work(saving, ann, worker.without_browser(), url)
    released.set()
    assert (pages_in(saving, item), found.missing_pages) == ([1, 2], MissingPages(3, 3))


async def test_a_page_at_an_address_that_is_not_allowed_is_refused_as_everywhere(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    """The operator allows what a person saves, not what a page leads to on another host."""
    url = offer(origin, 2)
    origin.page("/secret", write(2))
    origin.redirect("/story/2", f"http://127.0.0.2:{origin.port}/secret")
    item, found = await save_and_work(saving, ann, worker, url)
    assert (pages_in(saving, item), found.missing_pages) == ([1], MissingPages(2, 2))
    assert origin.requests["/secret"] == 0


async def test_pages_share_the_size_of_one(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    url = offer(origin, 4)
    settings = change_limits(saving.kept.settings, fetch_max_bytes=2 * len(write(2, pager(4)(2))))
    async with run_worker(saving, extractors, settings) as worker:
        item, found = await save_and_work(saving, ann, worker.without_browser(), url)
    assert (pages_in(saving, item)[:2], found.missing_pages is not None) == ([1, 2], True)


class WithoutJoining:
    """Extractors whose process is lost whenever it joins pages."""

    def __init__(self, pool: ExtractorPool) -> None:
        self.extract = pool.extract
        self.find_missing = pool.find_missing

    async def join(self, pages: object, owner: object = None) -> None:
        return None


async def test_pages_that_cannot_be_joined_leave_the_first(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    extractors = cast("ExtractorPool", WithoutJoining(worker.ingester.extractors))
    ingester = replace(worker.ingester, extractors=extractors)
    broken = Worker(replace(worker.renderer, ingester=ingester))
    item, found = await save_and_work(saving, ann, broken, offer(origin, 3))
    assert (pages_in(saving, item), found.missing_pages) == ([1], MissingPages(2, 3))


# --- politeness ------------------------------------------------------------------------------------------------------


async def test_pages_take_turns_at_their_host_with_everything_else(
    saving: RunningKept, ann: Person, origin: Origin, extractors: ExtractorPool
) -> None:
    """Each further page takes a turn, and the next job of the host comes a gap after the last of them."""
    gap, began_at = timedelta(seconds=0.3), utc_now()
    settings = saving.kept.settings.model_copy(update={"host_gap_seconds": gap.total_seconds()})
    async with run_worker(saving, extractors, settings) as worker:
        item, _ = await save_and_work(saving, ann, worker.without_browser(), offer(origin, 3))
    assert pages_in(saving, item) == [1, 2, 3]
    with reading(saving.kept.database) as tx:
        assert tx.execute(select(tables.hosts.c.next_at)).scalar_one() >= began_at + 2 * gap
    ended_at = get_media(saving, item).processing_completed_at
    assert ended_at is not None
    assert ended_at >= began_at + gap


@on_both_databases
def test_turns_are_reserved_one_after_the_other_and_not_far_ahead(saving: RunningKept) -> None:
    now = utc_now()
    with writing(saving.kept.database) as tx:
        turns = [reserve_turn(tx, "e.org", now=now, gap_seconds=1.0) for _ in range(4)]
        assert turns == [now, now + timedelta(seconds=1), None, None]
        assert reserve_turn(tx, "e.org", now=now + timedelta(seconds=1), gap_seconds=1.0) == now + timedelta(seconds=2)
        assert reserve_turn(tx, "e.org", now=now - timedelta(hours=1), gap_seconds=1.0) == now - timedelta(hours=1)
        assert reserve_turn(tx, "other.org", now=now, gap_seconds=0.0) == now


# --- another version of the page --------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", ['<link rel=amphtml href="/amp">', '<link rel=alternate media=print href="/amp">'])
async def test_a_page_without_an_article_is_read_in_its_other_version_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, link: str
) -> None:
    origin.page("/amp", write(2))
    item, found = await save_and_work(saving, ann, worker, origin.page("/shell", f"{link}<title>App</title><p>Hi.</p>"))
    assert pages_in(saving, item) == [2]
    assert (found.canonical_url, found.title) == (origin.url("/shell"), "App")
    assert dict(origin.requests) == {"/shell": 1, "/amp": 1}


async def test_other_versions_are_not_asked_for_where_there_is_an_article_nor_on_another_site(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker
) -> None:
    origin.page("/amp", write(2))
    item, _ = await save_and_work(saving, ann, worker, origin.page("/a", f"<link rel=amphtml href=/amp>{write(1)}"))
    assert pages_in(saving, item) == [1]
    elsewhere = f"<link rel=amphtml href=http://127.0.0.2:{origin.port}/amp><title>App</title><p>Hi.</p>"
    _, found = await save_and_work(saving, ann, worker, origin.page("/shell", elsewhere))
    assert found.failure_code == "E_EXTRACT_NO_CONTENT"
    assert origin.requests["/amp"] == 0


# --- site rules ------------------------------------------------------------------------------------------------------


@pytest.fixture
def rules(saving: RunningKept) -> Path:
    folder = saving.kept.settings.site_rules_folder
    folder.mkdir()
    return folder


@pytest.mark.requirement("Kept", "site rules")
async def test_a_rule_is_used_changed_and_removed_without_a_restart(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, rules: Path
) -> None:
    chosen = f"<h2>By the rule</h2><div class=chosen>{prose(2)}</div>"

    async def save(path: str) -> tuple[list[int], str | None, str | None]:
        page = article(body=f"<article>{prose(1)}</article>{chosen}")
        item, found = await save_and_work(saving, ann, worker, origin.page(path, page))
        return pages_in(saving, item), found.title, how_it_ended(saving, item).site_rule

    file = rules / "origin.toml"
    file.write_text('hosts = ["127.0.0.1"]\ntake = [".chosen"]\ntitle = "h2"')
    assert await save("/1") == ([2], "By the rule", "applied")
    file.write_text('hosts = ["127.0.0.1"]\ntake = [".nothing-at-all"]')
    assert (await save("/2"))[2] == "matched_nothing"
    file.write_text('hosts = ["127.0.0.1"]\ntake = [".chosen"]\ntypo = 1')
    assert (await save("/3"))[2] is None
    file.unlink()
    assert (await save("/4"))[2] is None


async def test_a_rule_may_ask_for_a_browser_at_once(
    saving: RunningKept, ann: Person, origin: Origin, worker: Worker, rules: Path
) -> None:
    (rules / "origin.toml").write_text('hosts = ["127.0.0.1"]\nbrowser = true')
    item = await ann.save(origin.page("/a", write(1)))
    await worker.with_browser_elsewhere().work_off(Queue.INGEST)
    assert worker.count_jobs() == {"render": 1}
    assert list_history(saving, item)[-1].record.message == "A site rule says that this page needs a browser."
    other = await ann.save(origin.page("/b", write(2)))
    await worker.work_off(Queue.INGEST)
    assert pages_in(saving, other) == [2]  # there is no browser here


# --- kill -9 ---------------------------------------------------------------------------------------------------------


async def test_a_worker_killed_between_two_pages_leaves_no_half_article(
    origin: Origin, sqlite_url: str, tmp_path: Path
) -> None:
    """The next attempt has the first page from the save, and asks for the others once more."""
    url, reached, released = offer(origin, 3), asyncio.Event(), asyncio.Event()

    async def wait(request: web.BaseRequest) -> web.StreamResponse:
        reached.set()
        await released.wait()
        return web.Response(text=write(3, pager(3)(3)), content_type="text/html")

    origin.on("/story/3", wait)
    settings = settings_reaching(origin, sqlite_url, tmp_path, limits=PATIENT)
    variables = {
        "KEPT_DATABASE_URL": sqlite_url,
        "KEPT_FETCH_ALLOW": origin.allowance,
        "KEPT_FETCH_PORTS": f"80,{origin.port}",
        "KEPT_HOST_GAP_SECONDS": "0",
        "KEPT_LEASE_SECONDS": "2",
        "KEPT_RENDER": "never",
    }
    async with run_kept(settings) as saving:
        ann = await saving.make_person("ann")
        item = await ann.save(url)
        with running_worker(tmp_path, variables) as first:
            await asyncio.wait_for(reached.wait(), 120)
            os.killpg(first.pid, signal.SIGKILL)
        assert get_media(saving, item).processing_status == "extracting"
        released.set()
        with running_worker(tmp_path, variables):
            await until(lambda: get_media(saving, item).is_readable, seconds=120, what="the article")
        assert pages_in(saving, item) == [1, 2, 3]
        assert [line.record.code for line in list_history(saving, item) if line.record.code] == ["E_WORKER_LOST"]
    asked = {path: times for path, times in origin.requests.items() if path.startswith("/story")}
    assert asked == {"/story": 1, "/story/2": 2, "/story/3": 2}


@contextmanager
def running_worker(folder: Path, variables: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, patient_worker.__file__],
        env=environment(folder, **variables),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
