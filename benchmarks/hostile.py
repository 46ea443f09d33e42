"""Whether anybody notices an attack: `/healthz` and another person's pages while hostile input is sent over and over.

    ./bench hostile [--times N] [--quick]

`kept serve` with its worker, and 200 connections from another address that say nothing. One client sends each hostile
input so many times in a row: names and notes of combining marks, pages made to be slow, files made to be slow or to
take memory, endless heads and the worst cookies. A process of its own asks for `/healthz` twenty times a second; a
second person saves an ordinary page every two seconds. Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp
import psutil

from benchmarks.save import KEPT, environment_of, quantile, run_apart, serving_python, wait_until_up
from kept.config import Settings
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from support.builders.accounts import make_token, make_user
from support.hostile.hostile_files import HOSTILE_FILES, export_naming_one_article
from support.servers.local_servers import free_port

HEALTH_GOAL_MS: Final = 250.0
MEMORY_GOAL_MB: Final = 300.0
READY_GOAL: Final = 2.0
"""Another person's page may take so many times its usual time."""
SILENT_CONNECTIONS: Final = 200
SILENT_ADDRESS: Final = "127.0.0.9"
ATTACKED_HOST: Final = "127.0.2.1"
MARKS: Final = "a" + "\u0301\u0323" * 120_000
CARDS: Final = (
    "240 kB of paragraphs that never begin",
    "many meta charsets and newlines",
    "100,000 attributes in a drawing's title",
)
PROBE: Final = """
import http.client, sys, time
host, _, port = sys.argv[1].partition(":")
while True:
    started = time.monotonic()
    try:
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
        connection.close()
    except OSError:
        status = 0
    print(started, (time.monotonic() - started) * 1000, status, flush=True)
    time.sleep(0.05)
"""
ORIGIN: Final = """
import asyncio, sys
from aiohttp import web
from benchmarks.save import PAGE
from support.hostile.hostile_documents import HOSTILE_CARDS
async def answer(request):
    kind = request.query.get("kind", "")
    if kind == "charset":
        spaces = {"Content-Type": "text/html; charset=" + " " * 7000 + ";x"}
        return web.Response(body=b"<title>T</title>", headers=spaces)
    body = HOSTILE_CARDS[kind]() if kind else PAGE.encode()
    return web.Response(body=body, content_type="text/html")
async def main():
    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    await web.TCPSite(runner, sys.argv[1], port).start()
    print(port, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@dataclass
class Seen:
    """What was noticed while one kind of input was sent."""

    name: str
    began: float
    ended: float = 0.0
    statuses: set[int | str] = field(default_factory=set)
    ready_ms: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)


@dataclass
class Attacked:
    """A server under attack, the attacker's session and the other person's."""

    address: str
    origin_port: int
    mallory: aiohttp.ClientSession
    bob: aiohttp.ClientSession
    server: psutil.Process

    @property
    def page(self) -> str:
        return f"http://127.0.0.1:{self.origin_port}/{time.monotonic_ns()}"

    def hostile(self, kind: str) -> str:
        return f"http://{ATTACKED_HOST}:{self.origin_port}/{time.monotonic_ns()}?kind={kind}"


Attack = Callable[[Attacked], Awaitable[int | str]]


# --- what is sent ---------------------------------------------------------------------------------------------------


def send_form(path: str) -> Attack:
    async def send(kept: Attacked) -> int:
        fields = {"name": MARKS, "password": "p" * 20, "token": "x", "next": "/"}
        form = aiohttp.FormData(fields, default_to_multipart=True)
        async with kept.bob.post(kept.address + path, data=form, headers={"Origin": kept.address}) as answer:
            return answer.status

    return send


def save_with(**words: object) -> Attack:
    async def send(kept: Attacked) -> int:
        # As they are: written as escapes the body would be too large.
        body = json.dumps({"url": kept.page, **words}, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"}
        async with kept.mallory.post(f"{kept.address}/api/v1/items", data=body, headers=headers) as answer:
            return answer.status

    return send


def save_page(kind: str) -> Attack:
    async def send(kept: Attacked) -> int | str:
        started = time.monotonic()
        async with kept.mallory.post(f"{kept.address}/api/v1/items", json={"url": kept.hostile(kind)}) as answer:
            await answer.read()
        return answer.status if time.monotonic() - started < 4.5 else "late"

    return send


def upload(data: bytes) -> Attack:
    """One after the other: the next is sent when this one has ended."""

    async def send(kept: Attacked) -> int | str:
        headers = {"Content-Type": "application/octet-stream"}
        async with kept.mallory.post(f"{kept.address}/api/v1/imports", data=data, headers=headers) as answer:
            started = await answer.json()
        if answer.status != 202:
            return answer.status
        while True:
            async with kept.mallory.get(f"{kept.address}/api/v1/imports/{started['data']['id']}") as found:
                state = str((await found.json())["data"]["state"])
            if state in {"done", "failed", "cancelled"}:
                return state
            await asyncio.sleep(0.05)

    return send


def send_head(piece: bytes, *, end: bytes = b"") -> Attack:
    async def send(kept: Attacked) -> int | str:
        host, _, port = kept.address.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), local_addr=("127.0.0.8", 0))
        sent = 0
        try:
            writer.write(b"GET /sign-in HTTP/1.1\r\nHost: localhost\r\n")
            while sent < 60_000_000 and not reader.at_eof():
                writer.write(piece)
                await writer.drain()
                sent += len(piece)
                if end:
                    writer.write(end)
                    break
            async with asyncio.timeout(30):
                return (await reader.readline()).decode().strip() or "closed"
        except ConnectionError:
            return "closed"
        finally:
            writer.close()

    return send


def list_attacks() -> dict[str, Attack]:
    large = export_naming_one_article(600, 31 * 1024 * 1024)
    return {
        "sign-in, a name of marks": send_form("/sign-in"),
        "set-up, a name of marks": send_form("/setup"),
        "tags of marks": save_with(tags=[MARKS[:2_000]] * 200),
        "a note of marks": save_with(note=MARKS),
        **{f"page: {name}": save_page(name) for name in CARDS},
        "page: a charset of spaces": save_page("charset"),
        "file: an export that names one large article": upload(large),
        **{f"file: {name}": upload(data) for name, data in HOSTILE_FILES.items()},
        "head: headers without end": send_head(b"x: y\r\n" * 1000),
        "head: a header without end": send_head(b"y" * 10_000),
        "head: the worst cookie": send_head(b'Cookie: x="' + b"\\a" * 30_000 + b'"\r\n', end=b"\r\n"),
    }


# --- who notices ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def probing(address: str, log: Path) -> Iterator[None]:
    with log.open("w") as out:
        process = subprocess.Popen([sys.executable, "-c", PROBE, address.removeprefix("http://")], stdout=out)
        try:
            yield
        finally:
            process.kill()
            process.wait()


def read_probes(log: Path, seen: Seen) -> list[float]:
    """Milliseconds of each that was asked, or still unanswered, meanwhile; one that failed took for ever."""
    probes = [tuple(map(float, line.split())) for line in log.read_text().splitlines()[:-1]]
    return [
        took if status == 200 else float("inf")
        for started, took, status in probes
        if started + took / 1000 >= seen.began and started <= seen.ended
    ]


@contextlib.asynccontextmanager
async def background(work: Awaitable[None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def stay_silent(address: str) -> None:
    """Opens a connection and says nothing; another when the server closes it."""
    host, _, port = address.removeprefix("http://").partition(":")
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(host, int(port), local_addr=(SILENT_ADDRESS, 0))
            try:
                await reader.read()
            finally:
                writer.close()
        await asyncio.sleep(0.5)


async def stay_silent_together(address: str) -> None:
    await asyncio.gather(*(stay_silent(address) for _ in range(SILENT_CONNECTIONS)))


async def time_page(kept: Attacked) -> float:
    """Milliseconds from the answer to the article."""
    async with kept.bob.post(f"{kept.address}/api/v1/items", json={"url": kept.page}) as answer:
        media_id = (await answer.json())["data"]["media_id"]
    answered = time.monotonic()
    async with asyncio.timeout(120):
        while True:
            async with kept.bob.get(f"{kept.address}/api/v1/media/{media_id}") as found:
                if (await found.json())["data"]["processing_status"] == "ready_for_reading":
                    return (time.monotonic() - answered) * 1000
            await asyncio.sleep(0.02)


async def watch(kept: Attacked, seen: Seen, gap_seconds: float) -> None:
    """At least one page of the other person, and the worker's memory, until nobody asks any more."""
    while True:
        seen.worker_mb.append(measure_worker_mb(kept.server))
        seen.ready_ms.append(await time_page(kept))
        seen.worker_mb.append(measure_worker_mb(kept.server))
        await asyncio.sleep(gap_seconds)


def measure_worker_mb(server: psutil.Process) -> float:
    """PSS of the worker and all its children: the embedded worker is the server's child."""
    total = 0
    for process in server.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total / 1024**2


async def send_over_and_over(kept: Attacked, name: str, attack: Attack, times: int, gap_seconds: float) -> Seen:
    seen = Seen(name, time.monotonic())
    watching = asyncio.create_task(watch(kept, seen, gap_seconds))
    try:
        for _ in range(times):
            seen.statuses.add(await attack(kept))
        while not seen.ready_ms and not watching.done():
            await asyncio.sleep(0.05)
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
        seen.ended = time.monotonic()
    return seen


async def rest(kept: Attacked, seconds: float, gap_seconds: float) -> Seen:
    async def nothing(kept: Attacked) -> str:
        await asyncio.sleep(seconds)
        return ""

    await time_page(kept)  # starts what a worker starts when it is first needed
    return await send_over_and_over(kept, "nothing", nothing, 1, gap_seconds)


# --- the account ----------------------------------------------------------------------------------------------------


async def add_people(folder: Path) -> list[str]:
    """The tokens of the attacker and of the other person."""
    settings = Settings(data_dir=folder)
    migrate(settings.sqlalchemy_url)
    database = Database(settings.sqlalchemy_url)
    tokens = [await make_token(database, make_user(database, name)) for name in ("mallory", "bob")]
    await database.close()
    return tokens


@contextlib.asynccontextmanager
async def attacked_server(folder: Path) -> AsyncIterator[Attacked]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    tokens = run_apart(add_people(folder))
    with serving_python("-c", ORIGIN, ATTACKED_HOST) as origin_port:
        environment = environment_of(folder, port, origin_port)
        server = subprocess.Popen([KEPT, "serve"], env=environment, stdout=subprocess.DEVNULL)
        try:
            async with contextlib.AsyncExitStack() as stack:
                sessions = [
                    await stack.enter_async_context(aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}))
                    for token in tokens
                ]
                await wait_until_up(sessions[0], address)
                yield Attacked(address, origin_port, sessions[0], sessions[1], psutil.Process(server.pid))
        finally:
            server.terminate()
            server.wait(30)


async def measure(times: int, rest_seconds: float, gap_seconds: float) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name) / "data", Path(name) / "probes"
        folder.mkdir()
        async with attacked_server(folder) as kept:
            with probing(kept.address, log):
                async with background(stay_silent_together(kept.address)):
                    usual = await rest(kept, rest_seconds, gap_seconds)
                    met = [report(usual, usual, log)]
                    for attack_name, attack in list_attacks().items():
                        seen = await send_over_and_over(kept, attack_name, attack, times, gap_seconds)
                        met.append(report(seen, usual, log))
                    return all(met)


def report(seen: Seen, usual: Seen, log: Path) -> bool:
    probes = read_probes(log, seen)
    worst, growth = max(probes, default=float("inf")), max(seen.worker_mb) - statistics.median(usual.worker_mb)
    ready, usually = quantile(seen.ready_ms, 0.5), quantile(usual.ready_ms, 0.5)
    print(
        f"{seen.name:48} {seen.ended - seen.began:6.1f} s  /healthz {quantile(probes, 0.5):4.0f} {worst:5.0f} ms"
        f"  page {ready:5.0f} ms ({ready / usually:.1f}×)  worker {growth:+5.0f} MB  {sorted(map(str, seen.statuses))}",
        flush=True,
    )
    return worst <= HEALTH_GOAL_MS and growth <= MEMORY_GOAL_MB and ready <= READY_GOAL * usually


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench hostile", description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    if options.quick:
        asyncio.run(measure(1, 1.0, 0.1))
        return 0
    return 0 if asyncio.run(measure(options.times, 30.0, 2.0)) else 1


if __name__ == "__main__":
    sys.exit(main())
