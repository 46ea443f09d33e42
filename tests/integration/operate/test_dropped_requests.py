"""Clients that go away in the middle of an answer: the work for them is dropped, and nobody else notices.

The task of an answer that nobody waits for is cancelled, often more than once, while a thread may still read the
database for it. A mistake there ends the process or makes it hang: so each test watches a process other than its own.
"""

import asyncio
import contextlib
import csv
import io
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import pytest
from starlette.types import ASGIApp, Message, Scope

from kept.asgi import create_app
from kept.config import Settings
from kept.logs import set_up_logging
from kept.storage.database.driver import sqlite
from support.builders.many_articles import fill_library, make_articles
from support.chaos.fleet import Mode, Shape
from support.chaos.using import FleetInUse, eventually, use_fleet
from support.servers.serving import Person, RunningKept

SEED: Final = 17
DROPS: Final = 200
CLIENTS: Final = 4
# An export of this library takes 300 ms or more, most of them in the database; a search takes 80.
ITEMS: Final = 2000
LONGEST_STAY_SECONDS: Final = 0.06
# More than there are connections to read with: if one were lost for good, somebody would wait for it in vain.
READERS_AFTERWARDS: Final = 12

# Several times what they take, for test machines are busy.
STORM_SECONDS: Final = 60.0
PROCESS_SECONDS: Final = 120.0
IMPORT_SECONDS: Final = 120.0
ANSWER_SECONDS: Final = 20.0

CSV_EXPORT: Final = "/export?format=csv"
EXPORTS: Final = (CSV_EXPORT, "/export?format=html", "/api/v1/export?format=csv", "/api/v1/export?format=json")
SEARCHES: Final = ("/api/v1/search?q=the", "/api/v1/search?q=people+time")
# So many in a row were seen to end a server.
CSV_EXPORTS_FIRST: Final = 17
# The server takes no notice of a client that goes before its answer begins.
SHARE_OF_EXPORTS_BEGUN: Final = 0.75

CAUSE_SHOWN: Final = {"PYTHONFAULTHANDLER": "1"}
# One imported page is fetched at most, for they are all of one site.
NOTHING_FETCHED: Final = {"KEPT_HOST_GAP_SECONDS": "300"}


@dataclass(frozen=True)
class Drop:
    """A request, and how long its client stays: from when it is sent, or from when the answer begins."""

    path: str
    stays_seconds: float
    from_answer: bool


def plan_drops(share_of_searches: float, drops: int = DROPS) -> list[Drop]:
    dice = random.Random(SEED)
    kinds = dice.choices((EXPORTS, SEARCHES), (1 - share_of_searches, share_of_searches), k=drops - CSV_EXPORTS_FIRST)
    paths = [CSV_EXPORT] * CSV_EXPORTS_FIRST + [dice.choice(kind) for kind in kinds]
    return [plan_drop(dice, path) for path in paths]


def plan_drop(dice: random.Random, path: str) -> Drop:
    """A search whose answer has begun is over."""
    from_answer = path in EXPORTS and dice.random() < SHARE_OF_EXPORTS_BEGUN
    return Drop(path, dice.uniform(0, LONGEST_STAY_SECONDS), from_answer)


async def drop_all(drops: Sequence[Drop], drop_one: Callable[[Drop], Awaitable[None]]) -> None:
    """A few at once."""
    waiting = list(drops)[::-1]

    async def work() -> None:
        while waiting:
            await drop_one(waiting.pop())

    await asyncio.gather(*(work() for _ in range(CLIENTS)))


def check_integrity(database: Path) -> str:
    with contextlib.closing(sqlite.connect(database)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def list_urls(csv_export: bytes) -> list[str]:
    return [row["url"] for row in csv.DictReader(io.StringIO(csv_export.decode("utf-8-sig"), newline=""))]


def describe_end(code: int | None) -> str:
    if code is None:
        return "hangs"
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"


def shorten(log: str) -> str:
    """What was said last, and of a crash what it was."""
    crash = log.find("Fatal Python error")
    return log[-4000:] if crash < 0 else log[max(crash - 2000, 0) : crash + 2000]


# --- a server, and clients that hang up --------------------------------------------------------------------------


# An import of so many rows takes about as long as so many drops.
@pytest.mark.parametrize(("drops", "rows"), [(80, 2000), pytest.param(DROPS, 5000, marks=pytest.mark.long)])
async def test_clients_that_hang_up_during_an_import_neither_end_the_server_nor_make_it_hang(
    drops: int, rows: int
) -> None:
    async with use_fleet(Mode.SQLITE, Shape(workers=0), **CAUSE_SHOWN, **NOTHING_FETCHED) as used:
        ann = used.person()
        fill_library(used.database, used.ann.user_id, make_articles(ITEMS, SEED))
        import_id = await start_import(ann, rows)
        # of a search the server takes no notice: it is answered to nobody
        planned = plan_drops(share_of_searches=0.25, drops=drops)
        with contextlib.suppress(TimeoutError):  # should the server hang, that is found next
            await asyncio.wait_for(drop_all(planned, lambda drop: hang_up(ann, drop)), STORM_SECONDS)
        await require_server(used)
        await require_imported(used, import_id, rows)
        listed = await asyncio.gather(*(ann.get("/api/v1/items") for _ in range(READERS_AFTERWARDS)))
        assert [answer.status for answer in listed] == [200] * READERS_AFTERWARDS
        export = await ann.get(CSV_EXPORT)
        await require_server(used)
        assert check_integrity(used.fleet.settings.data_dir / "kept.db") == "ok"
    urls = list_urls(export.body)
    assert (len(urls), len(set(urls))) == (ITEMS + rows, ITEMS + rows)


async def start_import(person: Person, rows: int) -> str:
    """Links to a port of this machine that nobody may ask."""
    links = "\n".join(f"http://127.0.0.1:9/{number}" for number in range(rows))
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/octet-stream"}
    target = f"{person.address}/api/v1/imports?file_name=links.txt"
    async with aiohttp.ClientSession() as session, session.post(target, data=links, headers=headers) as response:
        assert response.status == 202, await response.text()
        return str((await response.json())["data"]["id"])


async def hang_up(person: Person, drop: Drop) -> None:
    """Reads what comes, and resets the connection when its time is over."""
    with contextlib.suppress(OSError):
        address = urlsplit(person.address)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        headers = f"Host: {address.netloc}\r\nAuthorization: Bearer {person.token}\r\n"
        writer.write(f"GET {drop.path} HTTP/1.1\r\n{headers}\r\n".encode())
        try:
            if drop.from_answer:
                await reader.read(1)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(), drop.stays_seconds)
        finally:
            writer.transport.abort()


async def require_server(used: FleetInUse) -> None:
    """The process that was started answers; else this says what became of it."""
    process = used.fleet.running["server"]
    try:
        health = await asyncio.wait_for(used.person().get("/healthz"), ANSWER_SECONDS)
    except (aiohttp.ClientError, TimeoutError):
        with contextlib.suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(process.wait, 1)
        log = (used.fleet.folder / "server.log").read_text(errors="replace")
        raise AssertionError(f"the server {describe_end(process.poll())}; its log:\n{shorten(log)}") from None
    assert (health.status, process.poll()) == (200, None)


async def require_imported(used: FleetInUse, import_id: str, rows: int) -> None:
    found: dict[str, Any] = {}

    async def is_over() -> bool:
        await require_server(used)
        found.update((await used.person().get(f"/api/v1/imports/{import_id}")).data)
        return found["state"] not in {"checking", "running"}

    await eventually(is_over, seconds=IMPORT_SECONDS, what="the end of the import")
    assert (found["state"], found["imported"], found["rows_total"]) == ("done", rows, rows)


# --- the application, and tasks that are cancelled twice ---------------------------------------------------------


@pytest.mark.usefixtures("sqlite_url")
async def test_requests_that_are_cancelled_twice_beside_a_writer_neither_end_the_process_nor_make_it_hang(
    tmp_path: Path,
) -> None:
    told = await cancel_in_a_fresh_process(tmp_path)
    assert told["listed"] == [200] * READERS_AFTERWARDS
    assert set(told["saved"]) == {201}
    assert told["exported"] == ITEMS + len(told["saved"])
    assert check_integrity(tmp_path / "kept.db") == "ok"


async def cancel_in_a_fresh_process(folder: Path) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        __file__,
        str(folder),
        env={**os.environ, **CAUSE_SHOWN, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    talking = asyncio.create_task(process.communicate())
    await asyncio.wait({talking}, timeout=PROCESS_SECONDS)
    ended = process.returncode
    if ended is None:
        process.kill()
    output, errors = await talking
    assert ended == 0, f"the process {describe_end(ended)}; it said:\n{shorten(errors.decode())}"
    told: dict[str, Any] = json.loads(output)
    return told


async def cancel_twice_beside_a_writer(folder: Path) -> dict[str, Any]:
    app = create_app(Settings(data_dir=folder, save_rate="1000000/minute"))
    async with app.router.lifespan_context(app):
        running = RunningKept("", app.state.kept, app)
        user = running.make_user("ann")
        ann = await running.give_token(user)
        fill_library(running.kept.database, user.id, make_articles(ITEMS, SEED))
        writer = Writer(app, ann)
        writing = asyncio.create_task(writer.run())
        # a search spends most of its time in a thread, and that is what has to be met
        await drop_all(plan_drops(share_of_searches=0.75), lambda drop: cancel_twice(app, ann, drop))
        writer.is_over = True
        await writing
        listed = await asyncio.gather(*(Exchange(app, ann).get("/api/v1/items") for _ in range(READERS_AFTERWARDS)))
        export = await Exchange(app, ann).get(CSV_EXPORT)
    statuses = [answer.status for answer in listed]
    return {"listed": statuses, "saved": writer.statuses, "exported": len(list_urls(export.body))}


async def cancel_twice(app: ASGIApp, person: Person, drop: Drop) -> None:
    exchange = Exchange(app, person)
    answering = asyncio.create_task(exchange.get(drop.path))
    if drop.from_answer:
        await exchange.begun.wait()
    await asyncio.wait({answering}, timeout=drop.stays_seconds)
    answering.cancel()
    await asyncio.sleep(0)  # it learns of the first, and what it does then is cancelled too
    answering.cancel()
    await asyncio.wait({answering})


@dataclass
class Writer:
    """Saves one link after another until told to stop."""

    app: ASGIApp
    person: Person
    statuses: list[int] = field(default_factory=list)
    is_over: bool = False

    async def run(self) -> None:
        while not self.is_over:
            link = {"url": f"http://127.0.0.1:9/{len(self.statuses)}", "wait": False}
            answer = await Exchange(self.app, self.person).post("/api/v1/items", link)
            self.statuses.append(answer.status)


@dataclass
class Exchange:
    """A request with no server between, so that the task that answers it can be cancelled; and what was answered."""

    app: ASGIApp
    person: Person
    body: bytes = b""
    status: int = 0
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def get(self, path: str) -> "Exchange":
        return await self._call("GET", path, b"")

    async def post(self, path: str, json_body: Any) -> "Exchange":
        return await self._call("POST", path, json.dumps(json_body).encode())

    async def _call(self, method: str, path: str, sent: bytes) -> "Exchange":
        messages: list[Message] = [{"type": "http.request", "body": sent, "more_body": False}]

        async def receive() -> Message:
            return messages.pop() if messages else await asyncio.get_running_loop().create_future()

        try:
            await self.app(self._describe(method, path), receive, self._send)
        finally:
            self.begun.set()
        return self

    async def _send(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.body += message.get("body", b"")
        self.begun.set()

    def _describe(self, method: str, path: str) -> Scope:
        url = urlsplit(path)
        headers = {"authorization": f"Bearer {self.person.token}", "content-type": "application/json"}
        return {
            "type": "http",
            # from 2.4 on an answer is streamed by the task that was asked for it, and not by another beside it
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": url.path,
            "raw_path": url.path.encode(),
            "query_string": url.query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }


if __name__ == "__main__":
    set_up_logging("warning", "json")
    print(json.dumps(asyncio.run(cancel_twice_beside_a_writer(Path(sys.argv[1])))))
