"""How fast the pages are: the list of 10,000 items over HTTP, and list and reader in a browser slowed to an old phone.

    ./bench web [--quick]

Prints a line for each figure with its limit, and fails where one is missed.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import aiohttp
from playwright.async_api import Browser, Page

from kept.config import Settings
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.ids import new_id
from kept.logs import set_up_logging
from kept.storage import libraries, tables
from kept.storage.migrations.schema import migrate
from kept.web.assets import ASSETS, BUNDLED, FOLDER, find_asset, read_text
from support.builders.accounts import PASSWORD
from support.builders.demo import NOW, PAGES, stock
from support.fixtures.transactions import writing
from support.servers.chromium import open_chromium
from support.servers.serving import Person, RunningKept, run_kept

# Lighthouse's slow phone: 4 times slower, 1.6 Mbit/s, 150 ms there and back.
PHONE: Final = {"latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8, "offline": False}
# Scripts that the list loads never, or only when somebody enters a tag.
OTHER_PAGES: Final = frozenset({"aloud", "api_docs", "highlights", "progress", "reader", "tags"})
OBSERVE: Final = """
window.largest = 0; window.shifted = 0;
new PerformanceObserver(list => { for (const e of list.getEntries()) window.largest = e.startTime; })
  .observe({type: 'largest-contentful-paint', buffered: true});
new PerformanceObserver(list => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) window.shifted += e.value; })
  .observe({type: 'layout-shift', buffered: true});
"""

missed: list[str] = []


@dataclass(frozen=True)
class Effort:
    items: int = 10_000
    requests: int = 200
    visits: int = 5


QUICK: Final = Effort(items=1000, requests=20, visits=1)


def report(name: str, value: float, limit: float, unit: str) -> None:
    verdict = "ok" if value <= limit else "MISSED"
    print(f"{name:<46} {value:>9.2f} {unit:<3} (limit {limit:g}) {verdict}")
    if value > limit:
        missed.append(name)


async def fill(running: RunningKept, user_id: UUID, count: int) -> list[UUID]:
    """The demo pages on top, and plain rows beneath them."""
    with writing(running.kept.database) as tx:
        library_id = libraries.get_default_library_id(tx, user_id)
        tag_ids = [new_id() for _ in range(40)]
        tags = [{"id": key, "library_id": library_id, "name": f"tag {n}"} for n, key in enumerate(tag_ids)]
        tx.execute(tables.tags.insert(), tags)
        for start in range(0, count, 1000):
            made = [(new_id(), new_id()) for _ in range(1000)]
            tx.execute(tables.media.insert(), [media_row(key, start + n) for n, (key, _) in enumerate(made)])
            rows = [item_row(item, key, library_id, start + n) for n, (key, item) in enumerate(made)]
            tx.execute(tables.items.insert(), rows)
            links = [{"item_id": item, "tag_id": tag_ids[n % 40]} for n, (_, item) in enumerate(made)]
            tx.execute(tables.item_tags.insert(), links)
    return await stock(running.kept.database, running.kept.blobs, user_id, PAGES)


def media_row(media_id: UUID, number: int) -> dict[str, Any]:
    return {
        "id": media_id,
        "kind": "web_article",
        "source_url": f"https://example.org/{number}",
        "title": f"A page about something worth keeping, number {number}",
        "excerpt": "What it says of itself, at about the length that most pages choose for their description. " * 2,
        "site_name": f"Site {number % 300}",
        "favicon_url": "https://example.org/favicon.ico",
        "metadata": {"opengraph": {"title": "x" * 200}},
        "enrichment_status": EnrichmentStatus.SUCCEEDED,
        "processing_status": ProcessingStatus.READY_FOR_READING,
        "processing_attempts": 1,
        "word_count": 1200,
        "version": 1,
        "created_at": NOW,
        "updated_at": NOW,
    }


def item_row(item_id: UUID, media_id: UUID, library_id: UUID, number: int) -> dict[str, Any]:
    at = NOW.replace(year=2025)
    url = f"https://example.org/{number}"
    return {
        "id": item_id,
        "library_id": library_id,
        "media_id": media_id,
        "url": url,
        "created_at": at,
        "updated_at": at,
    }


async def time_first_bytes(person: Person, path: str, requests: int) -> list[float]:
    """Milliseconds from the request to the first byte of the answer, one at a time over one connection."""
    times = []
    headers = {"Authorization": f"Bearer {person.token}", "Accept": "text/html"}
    async with aiohttp.ClientSession() as session:
        for number in range(requests + 10):
            started = time.perf_counter()
            async with session.get(person.address + path, headers=headers) as response:
                await response.content.readany()
                if number >= 10:
                    times.append((time.perf_counter() - started) * 1000)
                await response.read()
    return times


async def weigh(person: Person) -> None:
    html = len((await person.get("/", Accept="text/html")).body)
    sizes = {path.stem: len(read_text(find_asset(path.name)).encode()) for path in FOLDER.glob("*.js")}
    scripts, of_list = sum(sizes.values()), sum(size for name, size in sizes.items() if name not in OTHER_PAGES)
    styles = len(read_text(find_asset("kept.css")).encode())
    fonts = sum(path.stat().st_size for path in (BUNDLED / "fonts").glob("*.woff2"))
    report("list: page without pictures, uncompressed", (html + of_list + styles) / 1000, 130, "kB")
    report("all scripts, uncompressed", scripts / 1000, 45, "kB")
    report("all fonts", fonts / 1000, 200, "kB")
    print(f"{'  of which html, css':<46} {html / 1000:.1f} kB, {styles / 1000:.1f} kB")


async def visit_slowly(browser: Browser, running: RunningKept, path: str) -> tuple[float, float]:
    context = await browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = await context.new_page()
    await sign_in(page, running)
    await page.goto("about:blank")
    slow = await context.new_cdp_session(page)
    await slow.send("Network.enable")
    await slow.send("Network.setCacheDisabled", {"cacheDisabled": True})
    await slow.send("Network.emulateNetworkConditions", PHONE)
    await slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    await page.add_init_script(OBSERVE)
    await page.goto(running.address + path)
    await page.wait_for_selector("html[data-ready]", state="attached")
    await page.wait_for_timeout(1500)  # pictures below the fold may still come, and must not move anything
    largest, shifted = await page.evaluate("[window.largest, window.shifted]")
    await context.close()
    return largest / 1000, shifted


async def sign_in(page: Page, running: RunningKept) -> None:
    await page.goto(f"{running.address}/sign-in")
    await page.get_by_label("Name").fill("ann")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"{running.address}/")


async def measure(running: RunningKept, effort: Effort) -> None:
    ann = await running.make_person("ann")
    assert ann.user is not None
    items = await fill(running, ann.user.id, effort.items)
    print(f"{effort.items + len(items)} items; styles and scripts at {ASSETS}")
    for name, path in (("list", "/"), ("list, unread", "/?view=unread"), ("list, by tag", "/?tag=tag+7")):
        spent = time.process_time()
        times = await time_first_bytes(ann, path, effort.requests)
        spent = (time.process_time() - spent) * 1000 / (effort.requests + 10)
        report(f"{name}: first byte, p95 of {effort.requests}", statistics.quantiles(times, n=20)[-1], 60, "ms")
        print(f"  fastest {min(times):.1f} ms, median {statistics.median(times):.1f} ms, processor time {spent:.1f} ms")
    await weigh(ann)
    async with open_chromium() as browser:
        for name, path in (("list", "/"), ("reader", f"/read/{items[0]}")):
            seen = [await visit_slowly(browser, running, path) for _ in range(effort.visits)]
            largest, visits = statistics.median(s[0] for s in seen), effort.visits
            report(f"{name} on a slow phone: LCP, median of {visits}", largest, 2.5, "s")
            report(f"{name} on a slow phone: CLS, worst of {visits}", max(s[1] for s in seen), 0.05, "")


async def main(effort: Effort) -> None:
    set_up_logging("warning", "console")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/kept.db"
        migrate(url)
        settings = Settings(database_url=url, data_dir=Path(folder), login_rate="1000/minute")
        async with run_kept(settings) as running:
            await measure(running, effort)
    if missed:
        raise SystemExit(f"missed: {', '.join(missed)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="./bench web", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    asyncio.run(main(QUICK if parser.parse_args().quick else Effort()))
