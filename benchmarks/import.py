"""What an import costs others: a Pocket file of many rows through the API, with people saving before, during and after.

    ./bench import [--rows N] [--saves N] [--quick]

`kept serve` with its worker and a web site on two hundred loopback addresses run as processes of their own; this one
is the client. The crawl of what was imported goes on while the last saves are timed.
"""

import argparse
import asyncio
import contextlib
import io
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any, Final

import aiohttp

from benchmarks.save import kept_server, origin, quantile, time_saves, wait_until_up
from kept.storage.database.driver import sqlite

HOSTS: Final = 200
PART: Final = 10_000
GOAL_SECONDS: Final = 60
SITES: Final = [f"127.0.1.{number}" for number in range(1, HOSTS + 1)]


def pocket_zip(rows: int, port: int) -> bytes:
    """As Pocket wrote them: parts of ten thousand, every tenth row with tags, some rows twice, some no page."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, start in enumerate(range(0, rows, PART)):
            lines = [pocket_row(number, port) for number in range(start, min(start + PART, rows))]
            archive.writestr(f"part_{part:06}.csv", "title,url,time_added,tags,status\n" + "".join(lines))
    return target.getvalue()


def pocket_row(number: int, port: int) -> str:
    added, tags = 1_300_000_000 + number * 300, "reading|long" if number % 10 == 0 else ""
    status = "archive" if number % 3 else "unread"
    if number % 500 == 499:
        return f"A script,javascript:void(0),{added},,unread\n"
    page = number - 1 if number % 100 == 99 else number
    url = f"http://127.0.1.{page % HOSTS + 1}:{port}/articles/{page}"
    return f'"Article {number}, of some length, as titles are",{url},{added},{tags},{status}\n'


async def time_import(session: aiohttp.ClientSession, address: str, data: bytes) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    headers = {"Content-Type": "application/octet-stream"}
    async with session.post(f"{address}/api/v1/imports?file_name=pocket.zip", data=data, headers=headers) as answer:
        assert answer.status == 202, await answer.text()
        found: dict[str, Any] = (await answer.json())["data"]
    while found["state"] not in {"done", "failed", "cancelled"}:
        await asyncio.sleep(0.5)
        async with session.get(f"{address}/api/v1/imports/{found['id']}") as answer:
            found = (await answer.json())["data"]
    return time.perf_counter() - started, found


async def save_until(session: aiohttp.ClientSession, address: str, base: str, over: "asyncio.Task[Any]") -> list[float]:
    took: list[float] = []
    while not over.done():
        took += await time_saves(session, address, base, 5)
        await asyncio.sleep(0.2)
    return took


def ask(folder: Path, query: str) -> int:
    with contextlib.closing(sqlite.connect(f"file:{folder / 'kept.db'}?mode=ro", uri=True, timeout=30)) as connection:
        return int(connection.execute(query).fetchone()[0])


async def measure(rows: int, saves: int) -> None:
    with tempfile.TemporaryDirectory() as name, origin(SITES) as port:
        folder, base = Path(name), f"http://127.0.0.1:{port}"
        data = pocket_zip(rows, port)
        with kept_server(folder, port) as (address, token, _):
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
                await wait_until_up(session, address)
                await time_saves(session, address, base, 10)
                before = await time_saves(session, address, base, saves)
                importing = asyncio.create_task(time_import(session, address, data))
                during = await save_until(session, address, base, importing)
                seconds, found = await importing
                crawled = ask(folder, "SELECT count(*) FROM media WHERE processing_status = 'ready_for_reading'")
                started = time.perf_counter()
                crawling = await time_saves(session, address, base, saves)
                rate = ask(folder, "SELECT count(*) FROM media WHERE processing_status = 'ready_for_reading'") - crawled
                rate_seconds = time.perf_counter() - started
        listed = ask(folder, "SELECT count(*) FROM items") - (10 + 2 * saves + len(during))
    report_counts(rows, found, listed, seconds, len(data))
    report_saves(before, during, crawling, rate / rate_seconds)


def report_counts(rows: int, found: dict[str, Any], listed: int, seconds: float, size: int) -> None:
    counts = {name: found[name] for name in ("imported", "already_there", "rejected")}
    adds_up = sum(counts.values()) == rows and counts["imported"] == listed
    print(f"\n{rows:,} rows, {size / 1024:,.0f} kB zip: {found['state']} in {seconds:.1f} s (goal ≤ {GOAL_SECONDS})")
    print(f"  {counts}; items in the library {listed:,}: {'adds up' if adds_up else 'DOES NOT ADD UP'}")


def report_saves(before: list[float], during: list[float], crawling: list[float], rate: float) -> None:
    for what, took in (("before", before), ("during the import", during), ("during the crawl", crawling)):
        p50, p95 = quantile(took, 0.5), quantile(took, 0.95)
        print(
            f"  a save {what:<18} p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  most {max(took):6.1f} ms  ({len(took)} saves)"
        )
    print(f"  the crawl meanwhile        {rate:.1f} pages/s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    arguments = parser.parse_args()
    rows, saves = (300, 5) if arguments.quick else (arguments.rows, arguments.saves)
    asyncio.run(measure(rows, saves))


if __name__ == "__main__":
    main()
