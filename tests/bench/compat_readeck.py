"""What listing costs through the APIs of other programs: 30 of many items by Readeck's API, a page by OPDS.

    ./bench compat_readeck [--items N] [--requests N] [--quick]

Fills one SQLite database (a tenth archived, a twentieth favourites, each with two tags), starts `kept serve` on it, and
asks one request after the other. CPU is that of the API process for one request, which other people's load on the
machine hardly changes. Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import aiohttp
import psutil
from rich.console import Console
from rich.table import Table

from bench.save import add_ann, kept_server, quantile, wait_until_up
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_id, new_media_id
from kept.storage import tables
from kept.storage.database.engine import Database
from support.transactions import writing

GOAL_MS: Final = 40.0
TAGS: Final = 50
PATHS: Final = {
    "Readeck, all": "/readeck/api/bookmarks?limit=30",
    "Readeck, not archived": "/readeck/api/bookmarks?limit=30&is_archived=0",
    "Readeck, archived": "/readeck/api/bookmarks?limit=30&is_archived=1",
    "Readeck, favourites": "/readeck/api/bookmarks?limit=30&is_marked=true",
    "Readeck, a label": '/readeck/api/bookmarks?limit=30&labels="tag7"',
    "OPDS, unread": "/opds/unread",
    "OPDS, favourites": "/opds/favourites",
    "OPDS, a tag": "/opds/tags/tag7",
}


def fill(folder: Path, count: int) -> None:
    database = Database(Settings(data_dir=folder).sqlalchemy_url, durability="normal")
    with writing(database) as tx:
        library = tx.execute(tables.libraries.select()).mappings().one()
        tags = [new_id() for _ in range(TAGS)]
        rows = [{"id": key, "library_id": library["id"], "name": f"tag{number}"} for number, key in enumerate(tags)]
        tx.execute(tables.tags.insert(), rows)
        for start in range(0, count, 1000):
            made = [
                make_rows(library["id"], library["owner_id"], tags, n) for n in range(start, min(start + 1000, count))
            ]
            for name in made[0]:
                listed = [row for rows in made for row in rows[name]]
                if listed:
                    tx.execute(tables.metadata.tables[name].insert(), listed)
    database.dispose()


def make_rows(library_id: UUID, user_id: UUID, tags: list[UUID], number: int) -> dict[str, list[dict[str, Any]]]:
    media_id, item_id, at = new_media_id(), new_id(), utc_now() - timedelta(minutes=number)
    url = f"https://site{number % 997}.example/{number}"
    times = {"created_at": at, "updated_at": at}
    statuses = {"enrichment_status": "succeeded", "processing_status": ProcessingStatus.READY_FOR_READING}
    page = {"id": media_id, "kind": "web_article", "source_url": url, "canonical_url": url, "metadata": {}}
    said = {"title": f"Article {number}", "excerpt": "About the harbour. " * 8, "processing_attempts": 1, "version": 3}
    state = {
        "user_id": user_id,
        "media_id": media_id,
        "is_favourite": number % 20 == 0,
        "is_archived": number % 10 == 1,
    }
    read = [state | {"progress": 0.0, "updated_at": at}] if number % 20 == 0 or number % 10 == 1 else []
    return {
        "media": [page | said | statuses | times],
        "items": [{"id": item_id, "library_id": library_id, "media_id": media_id, "url": url} | times],
        "reading_states": read,
        "item_tags": [{"item_id": item_id, "tag_id": tags[(number + step) % TAGS]} for step in (0, 11)],
    }


async def measure(
    session: aiohttp.ClientSession, url: str, server: psutil.Process, requests: int
) -> tuple[list[float], float]:
    took: list[float] = []
    before = 0.0
    for number in range(requests + 5):
        if number == 5:  # the first ones fill caches
            before = sum(server.cpu_times()[:2])
        started = time.perf_counter()
        async with session.get(url) as answer:
            await answer.read()
            assert answer.status == 200, (url, answer.status)
        if number >= 5:
            took.append((time.perf_counter() - started) * 1000)
    return took, (sum(server.cpu_times()[:2]) - before) / requests * 1000


async def main(items: int, requests: int) -> bool:
    table = Table("what", "p50 ms", "p95 ms", "CPU ms", "goal", title=f"{items:,} items")
    is_good = True
    with tempfile.TemporaryDirectory(prefix="kept-bench-") as root:
        add_ann(Path(root))
        fill(Path(root), items)
        with kept_server(Path(root), 1) as (address, token, server):
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
                await wait_until_up(session, address)
                for name, path in PATHS.items():
                    took, cpu = await measure(session, address + path, server, requests)
                    p50, p95 = quantile(took, 0.5), quantile(took, 0.95)
                    table.add_row(name, f"{p50:.1f}", f"{p95:.1f}", f"{cpu:.1f}", f"p95 ≤ {GOAL_MS:.0f}")
                    is_good = is_good and p95 <= GOAL_MS
    Console().print(table)
    return is_good


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    size = (200, 5) if options.quick else (options.items, options.requests)
    sys.exit(not asyncio.run(main(*size)))
