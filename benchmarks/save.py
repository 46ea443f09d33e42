"""What a save costs: Kept's own addition to the page's 50 ms, its CPU beside a bare script, growth with items, and
what it costs beside fifty saves of pages that never answer.

    ./bench save [--saves N] [--items N] [--quick]

A page server and `kept serve` (with its worker) run as processes of their own; this one is the client. The bare script
does the same fetch and the same kind of parse with aiohttp and selectolax and nothing else, in this run.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp
import psutil
from selectolax.lexbor import LexborHTMLParser

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_id
from kept.services.accounts.users import list_users
from kept.services.maintenance.search_index import reindex
from kept.storage import tables
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from support.builders.accounts import make_token, make_user
from support.fixtures.transactions import writing
from support.servers.local_servers import free_port

Result = TypeVar("Result")

KEPT: Final = Path(sys.executable).with_name("kept")
ORIGIN_SECONDS: Final = 0.05
PARAGRAPH: Final = (
    "<p>" + "Nobody who walked along the harbour that morning thought of the storm to come. " * 6 + "</p>"
)
PAGE: Final = (
    '<!doctype html><html lang="en"><head><title>The harbour</title>'
    '<meta property="og:title" content="The harbour"><meta property="og:description" content="Quiet, for now.">'
    '<meta property="og:image" content="/i.jpg"></head><body><article><h1>The harbour</h1>'
    + PARAGRAPH * 100
    + "</article></body></html>"
)

# One host is asked by four saves at once at most, so that fifty hanging saves need as many hosts.
HANGING_HOSTS: Final = [f"127.0.1.{number}" for number in range(1, 14)]
HANGING_SAVES: Final = 50
AT_ONCE: Final = 8
BURSTS: Final = 15

ORIGIN: Final = f"""
import asyncio, sys
from aiohttp import web
PAGE = {PAGE!r}
async def answer(request):
    await asyncio.sleep(60 if request.path.startswith("/hang") else {ORIGIN_SECONDS})
    return web.Response(text=PAGE, content_type="text/html")
async def main():
    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    for host in sys.argv[1:]:
        await web.TCPSite(runner, host, port).start()
    print(port, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@contextlib.contextmanager
def origin(hosts: Sequence[str] = ()) -> Iterator[int]:
    """The page server's port, on 127.0.0.1 and on further loopback `hosts`."""
    with serving_python("-c", ORIGIN, *hosts) as port:
        yield port


@contextlib.contextmanager
def serving_python(*arguments: str) -> Iterator[int]:
    """The port that a Python program prints first."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def environment_of(folder: Path, port: int, origin_port: int) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")} | {
        "KEPT_DATA_DIR": str(folder),
        "KEPT_PORT": str(port),
        "KEPT_FETCH_ALLOW": f"127.0.0.0/8:{origin_port}",
        "KEPT_FETCH_PORTS": f"80,{origin_port}",
        "KEPT_SAVE_RATE": "1000000/minute",
        "KEPT_LOG_LEVEL": "error",
        "KEPT_RENDER": "never",
        "KEPT_STORE_IMAGES": "false",
        "KEPT_DRAIN_SECONDS": "1",  # nobody waits for pages that never answer, once all is measured
    }


def add_ann(folder: Path) -> None:
    """Makes the database too; does nothing where there is one."""
    if not (folder / "kept.db").exists():
        migrate(Settings(data_dir=folder).sqlalchemy_url)
        database = Database(Settings(data_dir=folder).sqlalchemy_url)
        make_user(database)
        database.dispose()


def run_apart(work: Coroutine[Any, Any, Result]) -> Result:
    """In a loop of its own, for callers who have one already. `kept` itself would take seconds to start for this."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def give_token(folder: Path) -> str:
    database = Database(Settings(data_dir=folder).sqlalchemy_url)
    [ann] = await database.read(list_users)
    token = await make_token(database, ann)
    await database.close()
    return token


@contextlib.contextmanager
def kept_server(folder: Path, origin_port: int) -> Iterator[tuple[str, str, psutil.Process]]:
    port = free_port()
    add_ann(folder)
    token = run_apart(give_token(folder))
    server = subprocess.Popen([KEPT, "serve"], env=environment_of(folder, port, origin_port), stdout=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}", token, psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait(20)


async def wait_until_up(session: aiohttp.ClientSession, address: str) -> None:
    for _ in range(600):
        with contextlib.suppress(aiohttp.ClientError):
            async with session.get(f"{address}/healthz") as answer:
                if answer.status == 200:
                    return
        await asyncio.sleep(0.05)
    raise TimeoutError("Kept did not start")


async def time_saves(session: aiohttp.ClientSession, address: str, base: str, count: int) -> list[float]:
    took = []
    for number in range(count):
        started = time.perf_counter()
        async with session.post(f"{address}/api/v1/items", json={"url": f"{base}/{new_id().hex}"}) as answer:
            item = (await answer.json())["data"]
            assert item["enrichment_status"] == "succeeded", item
        took.append((time.perf_counter() - started) * 1000)
        if number % 20 == 0:
            await asyncio.sleep(0.1)
    return took


async def time_together(session: aiohttp.ClientSession, address: str, base: str, bursts: int) -> list[float]:
    """Saves of eight sites that begin at one moment; the worker makes articles meanwhile."""

    async def save(host: str) -> float:
        started, url = time.perf_counter(), f"{base.replace('127.0.0.1', host)}/{new_id().hex}"
        async with session.post(f"{address}/api/v1/items", json={"url": url}) as answer:
            assert answer.status == 201
            await answer.read()
        return (time.perf_counter() - started) * 1000

    took = []
    for _ in range(bursts):
        took += await asyncio.gather(*(save(host) for host in HANGING_HOSTS[:AT_ONCE]))
        await asyncio.sleep(0.2)
    return took


async def time_beside_hanging(session: aiohttp.ClientSession, address: str, base: str) -> list[float]:
    """Saves of quick pages, while fifty others hang. Those last 4 s at most, and so does this."""

    async def hang(number: int) -> None:
        url = base.replace("127.0.0.1", HANGING_HOSTS[number % len(HANGING_HOSTS)])
        async with session.post(f"{address}/api/v1/items", json={"url": f"{url}/hang-{new_id().hex}"}) as answer:
            assert answer.status == 201

    hanging = [asyncio.create_task(hang(number)) for number in range(HANGING_SAVES)]
    await asyncio.sleep(0.7)  # until they all hang
    took = await time_saves(session, address, base, 15)
    assert not any(task.done() for task in hanging)
    await asyncio.gather(*hanging)
    return took


async def time_fetches(session: aiohttp.ClientSession, base: str, count: int) -> tuple[list[float], float]:
    """The bare script: fetch, parse, find the three fields. Milliseconds each, and CPU milliseconds a page."""
    took = []
    cpu = time.process_time()
    for number in range(count):
        started = time.perf_counter()
        async with session.get(f"{base}/bare-{number}") as answer:
            tree = LexborHTMLParser(await answer.text())
        for selector in ('meta[property="og:title"]', 'meta[property="og:description"]', 'meta[property="og:image"]'):
            assert tree.css_first(selector) is not None
        took.append((time.perf_counter() - started) * 1000)
    return took, (time.process_time() - cpu) / count * 1000


async def time_lists(session: aiohttp.ClientSession, address: str, count: int) -> list[float]:
    took = []
    for _ in range(count):
        started = time.perf_counter()
        async with session.get(f"{address}/api/v1/items?limit=30") as answer:
            assert len((await answer.json())["data"]) == 30
        took.append((time.perf_counter() - started) * 1000)
    return took


async def fill(folder: Path, count: int) -> None:
    """Items as old saves left them: ready, with a card, and found by search."""
    settings = Settings(data_dir=folder)
    migrate(settings.sqlalchemy_url)
    database = Database(settings.sqlalchemy_url, durability="normal")
    with writing(database) as tx:
        library_id = tx.execute(tables.libraries.select()).mappings().one()["id"]
        for start in range(0, count, 1000):
            rows = [row(number) for number in range(start, min(start + 1000, count))]
            tx.execute(tables.media.insert(), [media for media, _, _ in rows])
            tx.execute(tables.url_aliases.insert(), [alias for _, alias, _ in rows])
            tx.execute(tables.items.insert(), [item | {"library_id": library_id} for _, _, item in rows])
    await reindex(database)  # or the worker would, while we measure
    await database.close()


def row(number: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    now, media_id = utc_now(), new_id()
    url = f"https://site{number % 997}.example/{media_id.hex}"
    media = {
        "id": media_id,
        "kind": "web_article",
        "source_url": url,
        "canonical_url": url,
        "title": f"Article number {number}",
        "excerpt": "An excerpt of the usual length, which says in a sentence or two what it is about. " * 2,
        "preview_image_url": f"{url}.jpg",
        "metadata": {},
        "enrichment_status": "succeeded",
        "processing_status": ProcessingStatus.READY_FOR_READING,
        "processing_attempts": 1,
        "version": 3,
        "created_at": now,
        "updated_at": now,
    }
    item = {"id": new_id(), "media_id": media_id, "url": url, "created_at": now, "updated_at": now}
    return media, {"url": url, "media_id": media_id}, item


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def measure(saves: int, few: int, items: int) -> None:
    with tempfile.TemporaryDirectory() as name, origin(HANGING_HOSTS) as origin_port:
        folder, base = Path(name), f"http://127.0.0.1:{origin_port}"
        results: dict[int, tuple[list[float], list[float]]] = {}
        for size in (few, items):
            add_ann(folder)
            await fill(folder, size - (few if size != few else 0))
            with kept_server(folder, origin_port) as (address, token, process):
                async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
                    await wait_until_up(session, address)
                    await time_saves(session, address, base, 10)
                    bare, bare_cpu = await time_fetches(session, base, saves)
                    before = process.cpu_times()
                    took = await time_saves(session, address, base, saves)
                    after = process.cpu_times()
                    lists = await time_lists(session, address, saves)
                    together = await time_together(session, address, base, BURSTS)
                    beside = await time_beside_hanging(session, address, base)
                    rss = process.memory_info().rss / 1024**2
            cpu = (after.user + after.system - before.user - before.system) / saves * 1000
            results[size] = took, lists
            report(size, took, bare, cpu, bare_cpu, lists, rss, beside)
            print(
                f"  {AT_ONCE} saves at once              p50 {quantile(together, 0.5):6.1f} ms (goal ≤ 100)  ", end=""
            )
            print(f" p95 {quantile(together, 0.95):6.1f} ms (goal ≤ 200)")
        small, large = (statistics.median(results[size][0]) for size in (few, items))
        print(f"\np50 of a save at {items:,} items / at {few:,}: {large / small:.2f} (goal ≤ 1.20)")


def report(
    size: int,
    took: list[float],
    bare: list[float],
    cpu: float,
    bare_cpu: float,
    lists: list[float],
    rss: float,
    beside: list[float],
) -> None:
    own50, own95 = (quantile(took, share) - quantile(bare, share) for share in (0.5, 0.95))
    print(f"\n{size:,} items, {len(took)} saves")
    print(f"  Kept's addition to the fetch  p50 {own50:6.1f} ms (goal ≤ 15)   p95 {own95:6.1f} ms (goal ≤ 50)")
    ratio = cpu / bare_cpu
    print(f"  CPU a save, API process       {cpu:6.2f} ms, {ratio:.1f}× the bare script's {bare_cpu:.2f} (goal ≤ 4)")
    print(f"  a page of the list            p95 {quantile(lists, 0.95):6.1f} ms (goal ≤ 25)")
    print(f"  beside {HANGING_SAVES} hanging saves       max {max(beside):6.1f} ms (goal < 300)")
    print(f"  RSS of the API process        {rss:6.0f} MB (goal ≤ 200)")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--saves", type=int, default=300)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    arguments = parser.parse_args()
    effort = (5, 100, 200) if arguments.quick else (arguments.saves, 1000, arguments.items)
    asyncio.run(measure(*effort))


if __name__ == "__main__":
    main()
