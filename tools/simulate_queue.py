#!/usr/bin/env python3
"""How long saves and imports wait, with how many workers and browsers: a simulation of the queue, event by event.

    python3 tools/simulate_queue.py --scale 10 [--workers N] [--browsers N] [--minutes N] [--seed N] …

One scale is a thousand people: a busy hour of 1,000 saves and one import of 5,000 links. Nothing is fetched and no
database asked; the rules are those of src/kept/jobs (lines of a host, its gap, its jobs at once, a person before an
import) and service times are drawn around the figures of docs/benchmarks.md. What is measured and what is assumed
stands beside each number of `Load`. The same seed gives the same figures. docs/scaling.md quotes it.
"""

import argparse
import heapq
import itertools
import math
import random
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from typing import Final

# As in src/kept/config.py and src/kept/jobs/claiming.py; a test holds them together.
HOST_GAP_SECONDS: Final = 1.0
HOST_CONCURRENCY: Final = 2
FULL_HOST_SECONDS: Final = 0.2
SLOTS_PER_WORKER: Final = 8
CORES_PER_WORKER: Final = 2

SCALES: Final = (1, 10, 100, 1000)
FIRST_IMPORT: Final = 0.05


class Priority(IntEnum):
    """The lower goes first."""

    PERSON = 0
    IMPORT = 10


class Kind(IntEnum):
    INGEST = 0
    STORE_IMAGES = 1
    RENDER = 2


@dataclass(frozen=True, slots=True)
class Load:
    """What arrives, who works, and how long work takes. Times in seconds, rates of one second."""

    # assumed: a thousand people save ten links a day each, a tenth of them in the busy hour
    saves_a_second: float = 1000 / 3600
    # assumed: one person in a thousand brings a file of 5,000 links in that hour
    imports_a_second: float = 1 / 3600
    import_rows: int = 5000
    # assumed: of so many sites, with Zipf's law: the n-th has a share as 1/n
    hosts: int = 20_000
    zipf: float = 1.0
    # assumed: saves whose own fetch failed, so that the job must fetch again
    refetch_share: float = 0.05
    # assumed: pages without a picture for their card, or that scripts fill
    render_share: float = 0.10
    # assumed: pages with pictures to keep
    images_share: float = 0.90

    workers: int = 1
    browsers: int = 1
    slots: int = SLOTS_PER_WORKER
    gap_seconds: float = HOST_GAP_SECONDS
    host_concurrency: int = HOST_CONCURRENCY

    # measured, ./bench ingest: 4 slots do 27.2 pages/s from 50 ms away, so a slot holds one for 4 / 27.2 - 0.05
    extract_seconds: float = 0.097
    # measured, the same: two cores were busy with it (an upper bound: other work ran beside it)
    cpu_seconds: float = 2 / 27.2
    # assumed: a page on the web, first byte to last
    network_seconds: float = 0.4
    # assumed: sites that never answer, given up after `fetch_connect_seconds`
    hang_share: float = 0.01
    hang_seconds: float = 10.0
    # assumed: a page's pictures, four at once
    images_seconds: float = 1.2
    # measured, ./bench render: warm, at load 8 to 13; with what the network adds
    render_seconds: float = 1.2

    minutes: float = 60.0
    seed: int = 1


def scaled(scale: int, **changes: object) -> Load:
    """Ten times the people save ten times as much, of three times as many sites (assumed: the square root)."""
    base = Load()
    load = replace(
        base,
        saves_a_second=base.saves_a_second * scale,
        imports_a_second=base.imports_a_second * scale,
        hosts=int(base.hosts * math.sqrt(scale)),
    )
    return replace(load, **{name: value for name, value in changes.items() if value is not None})  # type: ignore[arg-type]


@dataclass(slots=True)
class Job:
    kind: Kind
    priority: Priority
    host: int | None
    arrived_at: float
    run_at: float
    started_at: float = 0.0


# --- what arrives ------------------------------------------------------------------------------------------------


class Arrivals:
    """Saves one by one, imports all rows at once; hosts by Zipf's law."""

    def __init__(self, load: Load, chance: random.Random, inside: random.Random) -> None:
        self.load, self.chance, self.inside = load, chance, inside
        weights = itertools.accumulate(1 / rank**load.zipf for rank in range(1, load.hosts + 1))
        self.shares = list(weights)

    def draw_host(self, chance: random.Random) -> int:
        return bisect_left(self.shares, chance.random() * self.shares[-1])

    def save(self, at: float) -> Job:
        must_fetch = self.chance.random() < self.load.refetch_share
        return Job(Kind.INGEST, Priority.PERSON, self.draw_host(self.chance) if must_fetch else None, at, at)

    def rows(self, at: float) -> Iterator[Job]:
        for _ in range(self.load.import_rows):
            yield Job(Kind.INGEST, Priority.IMPORT, self.draw_host(self.chance), at, at)

    def follow_ups(self, job: Job, at: float) -> Iterator[Job]:
        """What an article asks for once it is there."""
        if job.kind is not Kind.INGEST:
            return
        if self.inside.random() < self.load.images_share:
            yield Job(Kind.STORE_IMAGES, job.priority, None, at, at)
        if self.inside.random() < self.load.render_share:
            host = self.draw_host(self.inside) if job.host is None else job.host
            yield Job(Kind.RENDER, job.priority, host, at, at)


def draw_around(chance: random.Random, mean: float) -> float:
    """Log-normal with this mean and a p95 of 2.4 times it: web pages are often quick and sometimes slow."""
    sigma = 0.7
    return chance.lognormvariate(math.log(mean) - sigma * sigma / 2, sigma)


def draw_service(job: Job, load: Load, chance: random.Random) -> float:
    match job.kind:
        case Kind.STORE_IMAGES:
            return draw_around(chance, load.images_seconds)
        case Kind.RENDER:
            return draw_around(chance, load.render_seconds + load.network_seconds)
    seconds = draw_around(chance, load.extract_seconds)
    if job.host is None:
        return seconds
    if chance.random() < load.hang_share:
        return load.hang_seconds
    return seconds + draw_around(chance, load.network_seconds)


# --- the queue, as src/kept/jobs has it ----------------------------------------------------------------------------


Line = tuple[Kind, int]


class Queue:
    """Jobs that can be claimed, most urgent first; behind each host's head stand those that wait in its line."""

    def __init__(self) -> None:
        self.heads: list[tuple[int, float, int, Job]] = []
        self.later: list[tuple[float, int, Job]] = []
        self.lines: dict[Line, dict[Priority, deque[Job]]] = {}
        self.headed: Counter[tuple[Line, Priority]] = Counter()
        self.order = itertools.count()
        self.size = 0

    def add(self, job: Job) -> None:
        self.size += 1
        if job.host is None:
            return self.make_head(job)
        line = (job.kind, job.host)
        if any(self.headed[line, priority] for priority in Priority if priority <= job.priority):
            self.lines.setdefault(line, {}).setdefault(job.priority, deque()).append(job)
            return None
        return self.make_head(job)

    def make_head(self, job: Job) -> None:
        if job.host is not None:
            self.headed[(job.kind, job.host), job.priority] += 1
        heapq.heappush(self.later, (job.run_at, next(self.order), job))

    def take_due(self, now: float) -> Job | None:
        while self.later and self.later[0][0] <= now:
            run_at, order, job = heapq.heappop(self.later)
            heapq.heappush(self.heads, (job.priority, run_at, order, job))
        if not self.heads:
            return None
        job = heapq.heappop(self.heads)[-1]
        self.size -= 1
        if job.host is not None:
            self.headed[(job.kind, job.host), job.priority] -= 1
        return job

    def put_back(self, job: Job, until: float) -> None:
        job.run_at = until
        self.size += 1
        self.make_head(job)

    def promote(self, kind: Kind, host: int, not_before: float) -> None:
        """The next of a host steps forward, the most urgent first, if nobody stands at the head."""
        line = (kind, host)
        if any(self.headed[line, priority] for priority in Priority):
            return
        waiting = self.lines.get(line, {})
        first = next((waiting[priority] for priority in Priority if waiting.get(priority)), None)
        if first:
            job = first.popleft()
            job.run_at = max(job.run_at, not_before)
            self.make_head(job)

    def next_due(self) -> float | None:
        return self.later[0][0] if self.later else None

    def longest_line(self) -> int:
        by_host: Counter[int] = Counter()
        for (_, host), waiting in self.lines.items():
            by_host[host] += sum(map(len, waiting.values()))
        return max(by_host.values(), default=0)


class Politeness:
    """A host's gap and its jobs at once."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.next_at: dict[int, float] = {}
        self.in_flight: Counter[int] = Counter()

    def wait_until(self, host: int, now: float) -> float | None:
        """None if the host may be visited now, and the turn is taken; otherwise when to ask again."""
        if self.in_flight[host] >= self.load.host_concurrency:
            return now + FULL_HOST_SECONDS
        if self.next_at.get(host, 0.0) > now:
            return self.next_at[host]
        self.next_at[host] = now + self.load.gap_seconds
        self.in_flight[host] += 1
        return None


# --- the run -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """What happened. `waits` are from arrival to the first moment of work, for ingest jobs; the others beside."""

    load: Load
    arrived: Counter[Kind] = field(default_factory=Counter)
    done: Counter[Kind] = field(default_factory=Counter)
    waiting: int = 0
    running: int = 0
    busy_seconds: Counter[str] = field(default_factory=Counter)
    waits: dict[tuple[Kind, Priority], list[float]] = field(default_factory=dict)
    longest_line: int = 0
    line_at_end: int = 0
    visits: list[tuple[float, float, int]] = field(default_factory=list)
    """Start, end and host of every visit; kept only if asked for."""

    @property
    def seconds(self) -> float:
        return self.load.minutes * 60

    def utilisation(self, pool: str) -> float:
        size = self.load.browsers if pool == "browsers" else self.load.workers * self.load.slots
        return self.busy_seconds[pool] / (size * self.seconds)

    @property
    def processor_share(self) -> float:
        """Of the workers' cores. Slots wait for sites, cores do not: many slots are of use until this nears one."""
        return self.done[Kind.INGEST] * self.load.cpu_seconds / (CORES_PER_WORKER * self.load.workers * self.seconds)


class Simulation:
    def __init__(self, load: Load, *, keep_visits: bool = False) -> None:
        self.load, self.chance, self.keep_visits = load, random.Random(load.seed), keep_visits
        # What arrives when has chances of its own: the same, however many workers there are.
        self.outside = random.Random(load.seed + 1_000_000)
        self.arrivals, self.politeness = Arrivals(load, self.outside, self.chance), Politeness(load)
        self.queues = {"workers": Queue(), "browsers": Queue()}
        self.free = {"workers": load.workers * load.slots, "browsers": load.browsers}
        self.outcome, self.order = Outcome(load), itertools.count()
        # what happens next: when, in which order, and what: a save, an import, the end of a job, a look at a queue
        self.events: list[tuple[float, int, str, Job | None]] = []
        self.looks: dict[str, float] = {}

    def run(self) -> Outcome:
        self.schedule_arrival("save", 0.0, self.load.saves_a_second)
        if self.load.imports_a_second > 0:  # one early in every run, however short
            self.at(self.outcome.seconds * FIRST_IMPORT, "import")
        while self.events and self.events[0][0] <= self.outcome.seconds:
            now, _, what, job = heapq.heappop(self.events)
            self.happen(now, what, job)
        self.close_books()
        return self.outcome

    def at(self, when: float, what: str, job: Job | None = None) -> None:
        heapq.heappush(self.events, (when, next(self.order), what, job))

    def schedule_arrival(self, what: str, now: float, rate: float) -> None:
        if rate > 0:
            self.at(now + self.outside.expovariate(rate), what)

    def happen(self, now: float, what: str, job: Job | None) -> None:
        match what:
            case "save":
                self.schedule_arrival("save", now, self.load.saves_a_second)
                self.arrive([self.arrivals.save(now)], now)
            case "import":
                self.schedule_arrival("import", now, self.load.imports_a_second)
                self.arrive(list(self.arrivals.rows(now)), now)
                lines = self.queues["workers"].longest_line()
                self.outcome.longest_line = max(self.outcome.longest_line, lines)
            case "end":
                assert job is not None
                self.end(job, now)
            case pool:  # a look at a queue whose earliest job is due now
                self.looks.pop(pool, None)
                self.claim_all(pool, now)

    def arrive(self, jobs: Sequence[Job], now: float) -> None:
        for job in jobs:
            self.outcome.arrived[job.kind] += 1
            self.queues[pool_of(job)].add(job)
        for pool in dict.fromkeys(pool_of(job) for job in jobs):
            self.claim_all(pool, now)

    def claim_all(self, pool: str, now: float) -> None:
        queue = self.queues[pool]
        while self.free[pool] and (job := queue.take_due(now)) is not None:
            self.claim(job, pool, now)
        due = queue.next_due()
        if due is not None and self.free[pool] and self.looks.get(pool, math.inf) > due:
            self.looks[pool] = due
            self.at(due, pool)

    def claim(self, job: Job, pool: str, now: float) -> None:
        queue = self.queues[pool]
        if job.host is not None:
            until = self.politeness.wait_until(job.host, now)
            if until is not None:
                return queue.put_back(job, until)
            queue.promote(job.kind, job.host, now + self.load.gap_seconds)
        self.start(job, pool, now)
        return None

    def start(self, job: Job, pool: str, now: float) -> None:
        self.free[pool] -= 1
        job.started_at = now
        seconds = draw_service(job, self.load, self.chance)
        self.outcome.waits.setdefault((job.kind, job.priority), []).append(now - job.arrived_at)
        self.outcome.busy_seconds[pool] += min(seconds, self.outcome.seconds - now)
        self.at(now + seconds, "end", job)
        if self.keep_visits and job.host is not None:
            self.outcome.visits.append((now, now + seconds, job.host))

    def end(self, job: Job, now: float) -> None:
        pool = pool_of(job)
        self.free[pool] += 1
        self.outcome.done[job.kind] += 1
        if job.host is not None:
            self.politeness.in_flight[job.host] -= 1
        self.arrive(list(self.arrivals.follow_ups(job, now)), now)
        self.claim_all(pool, now)

    def close_books(self) -> None:
        pools = {"workers": self.load.workers * self.load.slots, "browsers": self.load.browsers}
        self.outcome.running = sum(size - self.free[pool] for pool, size in pools.items())
        self.outcome.waiting = sum(queue.size for queue in self.queues.values())
        self.outcome.line_at_end = self.queues["workers"].longest_line()
        self.outcome.longest_line = max(self.outcome.longest_line, self.outcome.line_at_end)


def pool_of(job: Job) -> str:
    return "browsers" if job.kind is Kind.RENDER else "workers"


def simulate(load: Load, *, keep_visits: bool = False) -> Outcome:
    return Simulation(load, keep_visits=keep_visits).run()


# --- telling -------------------------------------------------------------------------------------------------------


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else math.nan


def shown(seconds: float) -> str:
    if math.isnan(seconds):
        return "-"
    if seconds < 10:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min"


def report(outcome: Outcome) -> str:
    load = outcome.load
    offered = load.saves_a_second + load.imports_a_second * load.import_rows
    lines = [
        f"offered        {offered:.1f} pages/s, {load.saves_a_second:.2f} of them saves; {load.hosts:,} hosts",
        f"workers        {load.workers} with {load.slots} slots, {outcome.utilisation('workers'):.0%} busy;"
        f" processors {outcome.processor_share:.0%} of two each",
        f"browsers       {load.browsers}, {outcome.utilisation('browsers'):.0%} busy",
        f"articles       {outcome.done[Kind.INGEST] / outcome.seconds:.1f}/s, {outcome.done[Kind.INGEST]:,}"
        f" of {outcome.arrived[Kind.INGEST]:,} in {load.minutes:g} min",
        f"screenshots    {outcome.done[Kind.RENDER]:,} of {outcome.arrived[Kind.RENDER]:,}",
        f"left           {outcome.waiting:,} waiting, {outcome.running:,} running",
    ]
    for (kind, priority), name in NAMES.items():
        waits = outcome.waits.get((kind, priority), [])
        figures = ", ".join(f"p{share * 100:.0f} {shown(quantile(waits, share))}" for share in (0.5, 0.95, 0.99))
        lines.append(f"{name:<14} waited {figures} ({len(waits):,} begun)")
    lines.append(f"longest line   {outcome.longest_line:,} of one host; {outcome.line_at_end:,} at the end")
    return "\n".join(lines)


NAMES: Final = {
    (Kind.INGEST, Priority.PERSON): "people",
    (Kind.INGEST, Priority.IMPORT): "imports",
    (Kind.RENDER, Priority.PERSON): "people's shots",
    (Kind.RENDER, Priority.IMPORT): "imports' shots",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, choices=SCALES, default=1)
    for setting in fields(Load):
        option = f"--{setting.name.replace('_', '-')}"
        parser.add_argument(option, type=type(setting.default), help=f"default {setting.default:g}, before scaling")
    options = vars(parser.parse_args())
    print(report(simulate(scaled(options.pop("scale"), **options))))


if __name__ == "__main__":
    main()
