"""Quality and speed of extraction, beside jsdom and trafilatura, in one run; or what each rule is worth.

`./bench extract [--rounds N] [--quick]`. Every pipeline reads the same pages, one at a time, taking turns so that a
busy machine is unfair to none; a pipeline's time is that of its best round. "CPU" counts every process that
takes part, ours among them: what a page costs of one core, however busy the machine.

`./bench extract --each [--folder DIR]` leaves out one rule after the other; `--without RULE`, given once or more,
leaves out those and lists the pages that they make a difference to; with both, each other rule is left out beside
those. The folder, or the folders in it, hold one of: `ground-truth.json` and `html/`; `segments.json` and `html/`;
`*/source.html` and `*/expected.html`, as Readability has them; or pages alone, for which what all rules make of them is
the truth.
"""

import argparse
import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from kept.content.article.article import Article, Page
from kept.content.article.readable import Readable
from kept.content.article.rules import RULES
from kept.content.article.tidy import tidy
from kept.content.page.decode import decode_html
from kept.subprocesses.extraction import ExtractorLimits, ExtractorPool
from kept.subprocesses.frames import LENGTHS, Frame, encode_frame, parse_frame
from kept.subprocesses.sidecar import BUNDLE, Sidecar, find_node
from support.builders.extraction_corpus import (
    MOZILLA_URL,
    PUBLIC,
    ArticlePage,
    Interval,
    MozillaPage,
    Score,
    count_tags,
    describe_corpus,
    estimate_interval,
    load_articles,
    load_mozilla,
    score_articles,
    text_of_html,
    token_f1,
)
from support.fixtures.extraction import group_of
from support.fixtures.extraction_rules import PageSet, find_sets, open_reader

JSDOM: Final = Path(__file__).parent / "jsdom"
MEDIA_ID: Final = UUID(int=0)
STRUCTURE: Final = ("figure", "img", "pre", "code", "table")
HTML: Final = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Found:
    """What a pipeline made of a page."""

    text: str
    html: str


Read = Callable[[bytes, str], Awaitable[Found]]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A way to read pages, and the processes beside this one that take part in it."""

    read: Read
    pids: Callable[[], Iterable[int]] = tuple

    def cpu_seconds(self) -> float:
        times = (psutil.Process(pid).cpu_times() for pid in self.pids())
        return time.process_time() + sum(taken.user + taken.system for taken in times)


def kept_pipeline(pool: ExtractorPool) -> Read:
    async def read(body: bytes, url: str) -> Found:
        outcome = await pool.extract(Page(body, url, MEDIA_ID, HTML))
        return Found(outcome.text.text, str(outcome.html)) if isinstance(outcome, Article) else Found("", "")

    return read


def linkedom_pipeline(sidecar: Sidecar) -> Read:
    async def read(body: bytes, _url: str) -> Found:
        outcome = sidecar.start(tidy(decode_html(body, HTML).text), 30)()
        return as_found(outcome.html) if isinstance(outcome, Readable) else Found("", "")

    return read


def jsdom_pipeline(process: subprocess.Popen[bytes]) -> Read:
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    async def read(body: bytes, url: str) -> Found:
        stdin.write(encode_frame(Frame({"url": url}, body)))
        stdin.flush()
        header_length, body_length = LENGTHS.unpack(stdout.read(LENGTHS.size))
        return as_found(parse_frame(stdout.read(header_length), stdout.read(body_length)).body.decode())

    return read


async def trafilatura_pipeline(body: bytes, url: str) -> Found:
    import trafilatura  # only ./bench installs it

    options: dict[str, Any] = {"url": url, "include_comments": False}
    if url != MOZILLA_URL:  # where speed and text are measured; structure needs its other output
        return Found(trafilatura.extract(body, **options) or "", "")
    html = trafilatura.extract(body, output_format="html", include_formatting=True, include_images=True, **options)
    return as_found(html or "")


def as_found(html: str) -> Found:
    return Found(text_of_html(html), html)


@dataclass(slots=True)
class Result:
    """What was measured of one pipeline."""

    score: Score
    interval: Interval
    same_text: int
    structure: Counter[str]
    cost: "Cost"


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a page, of the clock on the wall and of the processor."""

    wall_ms: float
    cpu_ms: float

    def best(self, other: "Cost") -> "Cost":
        return Cost(min(self.wall_ms, other.wall_ms), min(self.cpu_ms, other.cpu_ms))


async def measure(pipelines: dict[str, Pipeline], rounds: int, pages: int) -> dict[str, Result]:
    articles, mozilla = load_articles()[:pages], load_mozilla()[:pages]
    costs = dict.fromkeys(pipelines, Cost(float("inf"), float("inf")))
    found: dict[str, list[Found]] = {}
    for _ in track(range(rounds), "reading", console=Console(stderr=True)):
        for name, pipeline in pipelines.items():
            cost, found[name] = await read_all(pipeline, articles)
            costs[name] = costs[name].best(cost)
    return {
        name: await judge(pipeline, articles, found[name], mozilla, costs[name]) for name, pipeline in pipelines.items()
    }


async def read_all(pipeline: Pipeline, articles: list[ArticlePage]) -> tuple[Cost, list[Found]]:
    await pipeline.read(articles[0].body, articles[0].url)  # so that its processes run
    started_at, used_before = time.perf_counter(), pipeline.cpu_seconds()
    found = [await pipeline.read(page.body, page.url) for page in articles]
    wall, used = time.perf_counter() - started_at, pipeline.cpu_seconds() - used_before
    return Cost(wall / len(articles) * 1000, used / len(articles) * 1000), found


async def judge(
    pipeline: Pipeline,
    articles: list[ArticlePage],
    found: list[Found],
    mozilla: list[MozillaPage],
    cost: Cost,
) -> Result:
    read = [(page, await pipeline.read(page.body, MOZILLA_URL)) for page in mozilla]
    pairs = [(page.true_text, one.text) for page, one in zip(articles, found, strict=True)]
    return Result(
        score=score_articles(pairs),
        interval=estimate_interval(pairs),
        same_text=sum(token_f1(text_of_html(page.expected_html), one.text) >= 0.99 for page, one in read),
        structure=sum((count_tags(one.html, STRUCTURE) for _, one in read), Counter[str]()),
        cost=cost,
    )


def as_table(results: dict[str, Result], jsdom: str, pages: int) -> Table:
    mozilla = load_mozilla()[:pages]
    expected = sum((count_tags(page.expected_html, STRUCTURE) for page in mozilla), Counter[str]())
    table = Table(title=f"{len(load_articles()[:pages])} articles, {len(mozilla)} pages of Mozilla's")
    quality = ("pipeline", "F1", "95 %", "precision", "recall", "Mozilla's text", *STRUCTURE)
    for heading in (*quality, "ms/page", "× jsdom", "CPU ms", "× jsdom"):
        table.add_column(heading, justify="left" if heading == "pipeline" else "right")
    for name, result in results.items():
        table.add_row(
            name,
            f"{result.score.f1:.3f}",
            f"{result.interval.low:.3f}–{result.interval.high:.3f}",
            *(f"{value:.3f}" for value in (result.score.precision, result.score.recall)),
            f"{result.same_text}/{len(mozilla)}",
            *(f"{result.structure[tag]}/{expected[tag]}" for tag in STRUCTURE),
            f"{result.cost.wall_ms:.1f}",
            f"{results[jsdom].cost.wall_ms / result.cost.wall_ms:.1f}",
            f"{result.cost.cpu_ms:.1f}",
            f"{results[jsdom].cost.cpu_ms / result.cost.cpu_ms:.1f}",
        )
    return table


def start_jsdom(node: Path) -> subprocess.Popen[bytes]:
    if not (JSDOM / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts"], cwd=JSDOM, check=True)
    arguments = [str(node), str(JSDOM / "pipeline.mjs")]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def run(rounds: int, pages: int) -> None:
    node = require_node()
    pool = ExtractorPool(node, ExtractorLimits(processes=1, seconds=30))
    sidecar = Sidecar(node, BUNDLE)
    with start_jsdom(node) as jsdom:
        pipelines = {
            "Kept, page to text": Pipeline(
                kept_pipeline(pool), lambda: [pid for leader in pool.pids for pid in group_of(leader)]
            ),
            "  of which Readability on linkedom": Pipeline(
                linkedom_pipeline(sidecar), lambda: [sidecar.pid] if sidecar.pid else []
            ),
            "Readability on jsdom + DOMPurify": Pipeline(jsdom_pipeline(jsdom), lambda: [jsdom.pid]),
            "trafilatura": Pipeline(trafilatura_pipeline),
        }
        results = await measure(pipelines, rounds, pages)
        jsdom.kill()
    sidecar.stop()
    await pool.close()
    Console(width=180).print(as_table(results, "Readability on jsdom + DOMPurify", pages))


def measure_rules(sets: list[PageSet], without: list[str], *, each: bool) -> None:
    """A table of F1 with rules left out, and for single rules the pages that they make a difference to."""
    pages = [page for pages in sets for page in pages.pages]
    with open_reader(pages, require_node()) as read:
        all_texts = read(())
        sets = [pages.with_truth(texts) for pages, texts in zip(sets, split(sets, all_texts), strict=True)]
        table = Table(title=", ".join(f"{len(pages.pages)} {pages.name}" for pages in sets))
        for heading in ("left out", *(pages.name for pages in sets), "pages changed"):
            table.add_column(heading, justify="left" if heading == "left out" else "right")
        base = score_sets(sets, all_texts)
        table.add_row("nothing", *(f"{f1:.4f}" for f1 in base), "")
        given = read(without) if without else all_texts
        if without:
            base = add_row(table, ", ".join(without), sets, base, (all_texts, given))
            print_pages(sets, all_texts, given)
        others = [rule for rule in RULES.names() if each and rule not in without]
        for name in track(others, "leaving out", console=Console(stderr=True)):
            add_row(table, name, sets, base, (given, read([*without, name])))
    Console(width=160).print(table)


def split(sets: list[PageSet], texts: list[str]) -> list[list[str]]:
    ends = list(accumulate(len(pages.pages) for pages in sets))
    return [texts[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def score_sets(sets: list[PageSet], texts: list[str]) -> list[float]:
    return [pages.score(pages.pages, own).f1 for pages, own in zip(sets, split(sets, texts), strict=True)]


def add_row(
    table: Table, name: str, sets: list[PageSet], base: list[float], texts: tuple[list[str], list[str]]
) -> list[float]:
    before, after = texts
    scores = score_sets(sets, after)
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    table.add_row(name, *(f"{now - then:+.4f}" for now, then in zip(scores, base, strict=True)), str(changed))
    return scores


def print_pages(sets: list[PageSet], before: list[str], after: list[str]) -> None:
    for pages, one, other in zip(sets, split(sets, before), split(sets, after), strict=True):
        for page, then, now in zip(pages.pages, one, other, strict=True):
            if then != now:
                f1 = [pages.score((page,), [text]).f1 for text in (then, now)]
                change = f"F1 {f1[0]:.3f} → {f1[1]:.3f}, {len(then)} → {len(now)} characters"
                print(f"{pages.name} {page.key} {page.url}: {change}")


def require_node() -> Path:
    node = find_node(None)
    if node is None:
        sys.exit("Node was not found.")
    return node


def choose_sets(folder: Path | None, *, quick: bool) -> list[PageSet]:
    sets = find_sets(folder)
    if not sets:
        sys.exit(f"There are no pages in {folder or PUBLIC}: docs/benchmarks.md says how to get the public corpora.")
    return [replace(pages, pages=pages.pages[:8]) for pages in sets] if quick else sets


def main() -> None:
    parser = argparse.ArgumentParser(prog="./bench extract", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    parser.add_argument("--each", action="store_true", help="leave out each rule, one at a time")
    parser.add_argument("--without", action="append", default=[], choices=RULES.names(), metavar="RULE")
    parser.add_argument("--folder", type=Path, help="pages to measure rules on; else the public corpora")
    options = parser.parse_args()
    if options.each or options.without:
        sets = choose_sets(options.folder, quick=options.quick)
        measure_rules(sets, options.without, each=options.each)
        return
    print(describe_corpus(), file=sys.stderr)
    rounds, pages = (1, 8) if options.quick else (options.rounds, 1000)
    asyncio.run(run(rounds, pages))


if __name__ == "__main__":
    main()
