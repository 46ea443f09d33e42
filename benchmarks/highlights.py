"""What highlights cost: a page with 1,000 of them, and lists of 50,000 of one person.

    ./bench highlights [--highlights N] [--marks N] [--only sqlite|postgresql] [--quick]

One article without highlights and the same with many are asked for in turns, over one connection, until the first byte
of the page. Lists go through the API: the first page, a page far down, by colour, by word, by site, by day, and all of
them mixed. Exits with 1 if a goal is missed.
"""

import argparse
import itertools
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final
from uuid import UUID

import aiohttp

from benchmarks.save import quantile
from kept.config import Settings
from kept.content.article.highlights.anchoring import quote_at
from kept.domain.highlight import Colour, Highlight, Span
from kept.domain.paging import Position, write_position
from kept.ids import new_id
from kept.storage import articles, highlights
from kept.storage.migrations.schema import migrate
from kept.storage.search import index
from support.builders.articles import ingest
from support.fixtures.each_database import KINDS, measure_on_each
from support.fixtures.transactions import reading, writing
from support.servers.serving import Person, RunningKept, run_kept

SENTENCES: Final = (
    "Nobody who walked along the <b>harbour</b> that morning thought of the storm to come. ",
    'The boats lay still, and <a href="https://example.org/">what they carried</a> was forgotten. ',
    "A good sourdough needs time, patience and a little salt. ",
    "Whoever counts the pages of a library counts them twice. ",
)
RARE: Final = ("albatross", "bergamot", "cantilever", "dromedary", "escarpment", "filigree", "gossamer", "halcyon")
PAGE_GOAL: Final = 1.5
LIST_GOAL_MS: Final = 30.0
NEWEST: Final = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Effort:
    highlights: int = 50_000
    marks: int = 1_000
    pages: int = 500
    paragraphs: int = 400
    requests: int = 200


QUICK: Final = Effort(highlights=500, marks=50, pages=10, paragraphs=20, requests=5)


@dataclass
class Bench:
    running: RunningKept
    ann: Person
    effort: Effort
    chance: random.Random

    @property
    def user_id(self) -> UUID:
        assert self.ann.user is not None
        return self.ann.user.id

    async def save(self, path: str, paragraphs: int) -> tuple[str, UUID]:
        """An item, and its media with an article."""
        item = await self.ann.save(f"https://site{path.count('0')}.example/{path}", wait=False)
        sentences = itertools.cycle(SENTENCES)
        html = "".join(f"<p>{''.join(itertools.islice(sentences, 5))}</p>" for _ in range(paragraphs))
        ingest(self.running.kept.database, item["media_id"], html)
        return str(item["id"]), UUID(item["media_id"])

    def mark(self, media_id: UUID, count: int, at: Sequence[datetime]) -> None:
        """Spans of some words all over the article, half of them with a note."""
        with reading(self.running.kept.database) as tx:
            fragment = articles.find_fragment(tx, media_id)
        assert fragment is not None
        text = fragment.canonical_text
        made = [self.make_highlight(media_id, text, number, at[number]) for number in range(count)]
        with writing(self.running.kept.database) as tx:
            highlights.insert_highlights(tx, made)
            index.index_highlights(tx, made)

    def make_highlight(self, media_id: UUID, text: str, number: int, at: datetime) -> Highlight:
        start = self.chance.randrange(len(text) - 200)
        span = Span(start, start + self.chance.randrange(5, 200))
        note = f"Noted {self.chance.choice(RARE)} {number}" if number % 2 else None
        colour = self.chance.choice(list(Colour))
        return Highlight(new_id(), self.user_id, media_id, span, quote_at(text, span), colour, note, 1, at, at)


async def time_first_byte(session: aiohttp.ClientSession, url: str) -> float:
    started = time.perf_counter()
    async with session.get(url) as answer:
        await answer.content.readany()
        took = (time.perf_counter() - started) * 1000
        assert answer.status == 200, (url, answer.status)
        await answer.read()
    return took


async def measure_page(bench: Bench, session: aiohttp.ClientSession) -> bool:
    plain, _ = await bench.save("plain", bench.effort.paragraphs)
    marked, media_id = await bench.save("marked", bench.effort.paragraphs)
    bench.mark(media_id, bench.effort.marks, [NEWEST] * bench.effort.marks)
    urls = {name: f"{bench.running.address}/read/{item}" for name, item in (("plain", plain), ("marked", marked))}
    took: dict[str, list[float]] = {name: [] for name in urls}
    for number in range(bench.effort.requests + 3):
        for name, url in urls.items():
            one = await time_first_byte(session, url)
            if number >= 3:
                took[name].append(one)
    ratio = quantile(took["marked"], 0.95) / quantile(took["plain"], 0.95)
    for name, times in took.items():
        print(f"  page, {name:<8} p50 {quantile(times, 0.5):7.1f} ms   p95 {quantile(times, 0.95):7.1f} ms")
    print(f"  {bench.effort.marks:,} highlights: {ratio:.2f} times the page without (goal {PAGE_GOAL})")
    return ratio <= PAGE_GOAL


async def measure_lists(bench: Bench, session: aiohttp.ClientSession) -> bool:
    effort, chance = bench.effort, bench.chance
    times = [NEWEST - timedelta(hours=number) for number in range(effort.highlights)]
    chance.shuffle(times)
    each = effort.highlights // effort.pages
    for number in range(effort.pages):
        _, media_id = await bench.save(f"{'0' * (number % 7)}{number}", 10)
        bench.mark(media_id, each, times[number * each :])
    found: dict[str, list[float]] = {name: [] for name in (*list_paths(effort, chance), "mixed")}
    for number in range(effort.requests + 3):
        for name, path in list_paths(effort, chance).items():
            took = await time_first_byte(session, f"{bench.running.address}/api/v1/highlights?{path}")
            if number >= 3:
                found[name].append(took)
                found["mixed"].append(took)
    for name, took_ms in found.items():
        print(f"  list, {name:<12} p50 {quantile(took_ms, 0.5):7.1f} ms   p95 {quantile(took_ms, 0.95):7.1f} ms")
    print(f"  of {effort.highlights:,}; goal: p95 of the mix at most {LIST_GOAL_MS:.0f} ms")
    return quantile(found["mixed"], 0.95) <= LIST_GOAL_MS


def list_paths(effort: Effort, chance: random.Random) -> dict[str, str]:
    deep = NEWEST - timedelta(hours=chance.randrange(effort.highlights))
    return {
        "newest": "",
        "further down": f"cursor={write_position(Position(deep, UUID(int=0)))}",
        "colour": f"colour={chance.choice(list(Colour))}",
        "a rare word": f"q={chance.choice(RARE)}",
        "a frequent word": "q=storm",
        "site": f"site=site{chance.randrange(7)}.example",
        "on this day": f"on_day=2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
    }


async def measure(url: str, folder: Path, effort: Effort) -> bool:
    migrate(Settings(database_url=url).sqlalchemy_url)
    settings = Settings(database_url=url, data_dir=folder, save_rate="100000/minute")
    async with run_kept(settings) as running:
        bench = Bench(running, await running.make_person("ann"), effort, random.Random(18))
        headers = {"Authorization": f"Bearer {bench.ann.token}", "Accept": "text/html"}
        async with aiohttp.ClientSession(headers=headers) as session:
            pages = await measure_page(bench, session)
            return await measure_lists(bench, session) and pages


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--highlights", type=int, default=Effort.highlights)
    parser.add_argument("--marks", type=int, default=Effort.marks)
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    chosen = QUICK if options.quick else Effort(highlights=options.highlights, marks=options.marks)
    raise SystemExit(not measure_on_each(partial(measure, effort=chosen), options.only))
