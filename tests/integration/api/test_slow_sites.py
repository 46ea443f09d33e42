"""FR-002, FR-019, SC-003: whatever a site does to make us wait, a save answers in time, with an item and a job."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from sqlalchemy import select

from kept.config import Settings
from kept.fetch.resolver import AresResolver
from kept.storage import tables
from support.fixtures.transactions import reading
from support.servers.origin import Origin
from support.servers.serving import RunningKept, run_kept
from support.servers.sites import make_gate

pytestmark = pytest.mark.requirement("000", "FR-002", "FR-019", "US3", "SC-003")

# The budget of a save is 4 s and its deadline 4.5 s; a busy machine gets as much again.
GENEROUS_SECONDS = 9.0


@contextlib.contextmanager
def deaf_socket(kind: socket.SocketKind) -> Iterator[int]:
    """Takes what is sent to it, a connection or a datagram, and never says anything."""
    with socket.socket(type=kind) as deaf:
        deaf.bind(("127.0.0.1", 0))
        if kind is socket.SOCK_STREAM:
            deaf.listen(16)
        yield deaf.getsockname()[1]


@pytest.fixture
def deaf_port() -> Iterator[int]:
    with deaf_socket(socket.SOCK_STREAM) as port:
        yield port


@pytest.fixture
async def impatient_kept(sqlite_url: str, tmp_path: Path, origin: Origin, deaf_port: int) -> AsyncIterator[RunningKept]:
    settings = Settings(
        database_url=sqlite_url,
        data_dir=tmp_path,
        fetch_allow=f"127.0.0.0/8:{origin.port},127.0.0.0/8:{deaf_port}",
        fetch_ports=frozenset({80, 443, origin.port, deaf_port}),
    )
    async with run_kept(settings) as kept:
        yield kept


async def answer_after_ten_seconds(request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(10)
    return web.Response()


async def ten_bytes_a_second(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        for _ in range(30):
            await response.write(b"<p>12345<p")
            await asyncio.sleep(1)
    return response


async def redirect_for_ever(request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(0.4)
    return web.Response(status=302, headers={"Location": f"/r?{time.monotonic_ns()}"})


async def save_in_time(kept: RunningKept, url: str) -> None:
    ann = await kept.make_person("ann")
    started = time.monotonic()
    answer = await ann.post("/api/v1/items", {"url": url})
    assert time.monotonic() - started < GENEROUS_SECONDS
    assert (answer.status, answer.data["enrichment_status"]) == (201, "pending")
    with reading(kept.kept.database) as tx:
        queued = tx.execute(select(tables.jobs.c.kind, tables.jobs.c.subject_id)).all()
    assert [(kind, str(subject)) for kind, subject in queued] == [("ingest", answer.data["media_id"])]


@pytest.mark.parametrize("behaviour", [answer_after_ten_seconds, ten_bytes_a_second, redirect_for_ever])
async def test_a_slow_page_is_saved_in_time(impatient_kept: RunningKept, origin: Origin, behaviour: object) -> None:
    origin.on("/r", behaviour)  # type: ignore[arg-type]
    await save_in_time(impatient_kept, origin.url("/r"))


async def test_a_site_that_never_finishes_its_tls_handshake_is_saved_in_time(
    impatient_kept: RunningKept, deaf_port: int
) -> None:
    await save_in_time(impatient_kept, f"https://127.0.0.1:{deaf_port}/")


async def test_a_name_server_that_never_answers_costs_no_more_than_the_budget(impatient_kept: RunningKept) -> None:
    with deaf_socket(socket.SOCK_DGRAM) as port:
        resolver = AresResolver([f"127.0.0.1:{port}"])
        async with make_gate(dns=resolver) as gate:
            saver = impatient_kept.kept.saver
            asking = replace(saver, filler=replace(saver.filler, gate=gate))
            impatient_kept.app.state.kept = replace(impatient_kept.kept, saver=asking)
            await save_in_time(impatient_kept, "http://site.example/")
        await resolver.close()
