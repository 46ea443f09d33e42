"""What reading costs: fragments and kept pictures, and whether it grows with the number of media.

    ./bench read [--media N] [--few N] [--seconds N] [--quick]

Fills one SQLite database with few media and one with many (each with an article of 6 kB and its picture's row; a
thousand pictures of 20 kB lie in the blob store), starts `kept serve` on each, and asks for random ones at 100 requests
a second, open loop: a request begins when it is due, whether or not those before it were answered, so that a slow
answer is not left out of the account. The two sizes are measured in turns; exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import aiohttp
from rich.console import Console
from rich.table import Table

from benchmarks.save import add_ann, kept_server, quantile, wait_until_up
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import image_asset_id
from kept.ids import new_id, new_media_id
from kept.storage import images, tables
from kept.storage.database.engine import Database
from kept.storage.images import ImageAsset
from support.fixtures.transactions import writing

RATE: Final = 100
# `kept serve` starts its worker, which imports for some seconds on the same cores.
WARM_SECONDS: Final = 6
PICTURES: Final = 1000
PICTURE_BYTES: Final = 20_000
GOALS_MS: Final = {"fragments": 25.0, "images": 15.0}
GROWTH_GOAL: Final = 1.3
PARAGRAPH: Final = (
    "<p>" + "Nobody who walked along the harbour that morning thought of the storm to come. " * 5 + "</p>"
)
ARTICLE: Final = PARAGRAPH * 15


@dataclass(frozen=True)
class FilledFolder:
    """A filled database and what can be asked of it."""

    folder: Path
    paths: dict[str, list[str]]


async def fill(folder: Path, count: int) -> dict[str, list[str]]:
    database = Database(Settings(data_dir=folder).sqlalchemy_url, durability="normal")
    paths: dict[str, list[str]] = {"fragments": [], "images": []}
    with writing(database) as tx:
        library_id = tx.execute(tables.libraries.select()).mappings().one()["id"]
        for start in range(0, count, 1000):
            rows = [make_rows(library_id, number) for number in range(start, min(start + 1000, count))]
            for table in rows[0]:
                tx.execute(tables.metadata.tables[table].insert(), [row[table] for row in rows])
            paths["fragments"] += [f"/media/{row['media']['id']}/fragments" for row in rows]
            step = max(1, count // PICTURES)
            for row in rows[::step]:
                await asyncio.to_thread(write_blob, folder, row["image_assets"])
            paths["images"] += [f"/api/images/{row['image_assets']['id']}" for row in rows[::step]]
    await database.close()
    return paths


def make_rows(library_id: UUID, number: int) -> dict[str, dict[str, Any]]:
    now, media_id = utc_now(), new_media_id()
    url = f"https://site{number % 997}.example/{media_id.hex}"
    asset = ImageAsset(image_asset_id(media_id, f"{url}.png"), media_id, f"{url}.png", None, None, url)
    html = f'{ARTICLE}<img src="/api/images/{asset.id}">'
    statuses = {"enrichment_status": "succeeded", "processing_status": ProcessingStatus.READY_FOR_READING}
    times = {"created_at": now, "updated_at": now}
    media = {"id": media_id, "kind": "web_article", "source_url": url, "canonical_url": url, "metadata": {}}
    return {
        "media": media | statuses | times | {"title": f"Article {number}", "processing_attempts": 1, "version": 3},
        "items": {"id": new_id(), "library_id": library_id, "media_id": media_id, "url": url} | times,
        "fragments": {
            "id": new_media_id(),
            "media_id": media_id,
            "ordinal": 0,
            "html_sanitized": html,
            "canonical_text": html,
            "canonical_version": 1,
            "created_at": now,
        },
        "image_assets": {
            "id": asset.id,
            "media_id": media_id,
            "origin_url": asset.origin_url,
            "blob_key": images.image_key(asset, media_id.hex, "png"),
            "content_type": "image/png",
            "created_at": now,
        },
    }


def write_blob(folder: Path, asset: dict[str, Any]) -> None:
    path = folder / "blobs" / asset["blob_key"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(PICTURE_BYTES))


async def ask(session: aiohttp.ClientSession, url: str, took: list[float]) -> None:
    started = time.perf_counter()
    async with session.get(url) as answer:
        await answer.read()
        assert answer.status == 200, (url, answer.status)
    took.append((time.perf_counter() - started) * 1000)


async def run_open_loop(session: aiohttp.ClientSession, address: str, paths: list[str], seconds: float) -> list[float]:
    took: list[float] = []
    async with asyncio.TaskGroup() as requests:
        began = time.perf_counter()
        for number in range(int(RATE * seconds)):
            await asyncio.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            requests.create_task(ask(session, address + random.choice(paths), took))
    return took


@dataclass
class Measured:
    took_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    """Of the API process for one request, in each round: what other people's load on the machine hardly changes."""

    def add(self, other: "Measured") -> None:
        self.took_ms += other.took_ms
        self.cpu_ms += other.cpu_ms


async def measure(filled: FilledFolder, kinds: list[str], seconds: float, warm_seconds: float) -> dict[str, Measured]:
    with kept_server(filled.folder, 1) as (address, token, server):
        headers = {"Authorization": f"Bearer {token}"}
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
            await wait_until_up(session, address)
            found = {}
            for kind in kinds:
                await run_open_loop(session, address, filled.paths[kind], warm_seconds)
                before = sum(server.cpu_times()[:2])
                took = await run_open_loop(session, address, filled.paths[kind], seconds)
                cpu = sum(server.cpu_times()[:2]) - before
                found[kind] = Measured(took, [cpu / len(took) * 1000])
            return found


async def prepare(folder: Path, count: int) -> FilledFolder:
    folder.mkdir()
    add_ann(folder)
    return FilledFolder(folder, await fill(folder, count))


async def main(few: int, many: int, seconds: float, rounds: int, warm_seconds: float = WARM_SECONDS) -> bool:
    kinds = list(GOALS_MS)
    with tempfile.TemporaryDirectory(prefix="kept-bench-") as root:
        folders = {count: await prepare(Path(root) / str(count), count) for count in (few, many)}
        found = {(count, kind): Measured() for count in folders for kind in kinds}
        for _ in range(rounds):
            for count, filled in folders.items():
                for kind, measured in (await measure(filled, kinds, seconds / rounds, warm_seconds)).items():
                    found[count, kind].add(measured)
    return report(found, few, many)


def report(found: dict[tuple[int, str], Measured], few: int, many: int) -> bool:
    columns = ("what", "media", "p50 ms", "p95 ms", "p99 ms", "CPU ms", "goal")
    table = Table(*columns, title=f"{RATE} requests/s, open loop")
    is_good = True
    for kind, goal in GOALS_MS.items():
        for count in (few, many):
            took = found[count, kind].took_ms
            shown = [f"{quantile(took, share):.1f}" for share in (0.5, 0.95, 0.99)]
            cpu = f"{min(found[count, kind].cpu_ms):.2f}"
            table.add_row(kind, f"{count:,}", *shown, cpu, f"p95 ≤ {goal:.0f}" if count == many else "")
        growth = quantile(found[many, kind].took_ms, 0.95) / quantile(found[few, kind].took_ms, 0.95)
        table.add_row(kind, "growth", "", f"{growth:.2f}×", "", "", f"≤ {GROWTH_GOAL}×")
        is_good = is_good and quantile(found[many, kind].took_ms, 0.95) <= goal and growth <= GROWTH_GOAL
    Console().print(table)
    return is_good


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--media", type=int, default=100_000)
    parser.add_argument("--few", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=60, help="of each measurement, over all rounds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    if options.quick:
        sys.exit(not asyncio.run(main(100, 200, 0.5, 1, warm_seconds=0.2)))
    sys.exit(not asyncio.run(main(options.few, options.media, options.seconds, options.rounds)))
