"""A long, even day: people save, read and search while some pages fail; then a look at what it left behind."""

import asyncio
import contextlib
import random
import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from support.chaos.findings import Accepted
from support.chaos.fleet import Fleet, Mode, Shape
from support.chaos.site import MIX
from support.chaos.using import FleetInUse, eventually, use_fleet

HANDS: Final = 2
PAUSE_SECONDS: Final = 0.25
SAMPLE_EVERY_SECONDS: Final = 1.0
SHAPES: Final = {Mode.SQLITE: Shape(workers=0), Mode.CELERY: Shape(servers=2, workers=2, on_s3=True)}


@dataclass(frozen=True)
class Sample:
    """What all processes of a fleet hold together."""

    pss_mb: float
    descriptors: int
    processes: int


@dataclass
class SoakReport:
    mode: Mode
    seconds: float
    requests: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    saved: list[Accepted] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    rested: Sample | None = None

    def quarter(self, number: int) -> float:
        """The median of PSS in MB, in one quarter of the time, counted from 1."""
        size = len(self.samples) // 4
        return statistics.median(sample.pss_mb for sample in self.samples[size * (number - 1) : size * number])

    @property
    def growth(self) -> float:
        return self.quarter(4) / self.quarter(2)


def take_sample(fleet: Fleet) -> Sample:
    pss, descriptors, processes = 0.0, 0, 0
    for pid, _ in fleet.list_processes():
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            pss += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024
            descriptors += len(list(Path(f"/proc/{pid}/fd").iterdir()))
            processes += 1
    return Sample(pss, descriptors, processes)


async def soak(mode: Mode, seconds: float) -> SoakReport:
    report = SoakReport(mode, seconds)
    async with use_fleet(mode, SHAPES[mode]) as fleet:
        ends_at = time.monotonic() + seconds
        sampling = asyncio.create_task(sample_until(ends_at, fleet.fleet, report))
        await asyncio.gather(*(live(fleet, number, ends_at, report) for number in range(HANDS)))
        await sampling
        await fleet.require_all(report.saved, within=120)
        report.rested = await rest(fleet.fleet)
        report.errors += [str(line.get("event")) for line in fleet.fleet.read_errors()]
    return report


async def sample_until(ends_at: float, fleet: Fleet, report: SoakReport) -> None:
    while time.monotonic() < ends_at:
        report.samples.append(await asyncio.to_thread(take_sample, fleet))
        await asyncio.sleep(SAMPLE_EVERY_SECONDS)


async def live(fleet: FleetInUse, number: int, ends_at: float, report: SoakReport) -> None:
    """One person's day: saves a page of some kind, looks at the list, opens something, searches."""
    dice, kinds = random.Random(number), [kind for kind, share in MIX.items() for _ in range(share)]
    person = fleet.person(number % len(fleet.fleet.ports))
    while time.monotonic() < ends_at:
        try:
            report.saved.append(await fleet.save(dice.choice(kinds), person))
            report.requests["save"] += 1
            some = dice.choice(report.saved).item_id
            for path in ("/api/v1/items", f"/api/v1/items/{some}", "/api/v1/search?q=harbour", "/api/v1/items/nothing"):
                answer = await person.get(path)
                report.requests[str(answer.status)] += 1
                if answer.status >= 500:
                    report.errors.append(f"{path}: {answer.status}")
        except (OSError, AssertionError) as error:
            report.errors.append(f"{type(error).__name__}: {error}")
        await asyncio.sleep(PAUSE_SECONDS)


async def rest(fleet: Fleet) -> Sample:
    """What is left once nobody asks for anything: browsers and extractors go after a minute of idleness."""
    calm = 0

    async def is_calm() -> bool:
        nonlocal calm
        busy = [command for _, command in fleet.list_processes() if "chromium" in command]
        calm = 0 if busy else calm + 1
        return calm > 3

    await eventually(is_calm, seconds=120, what="browsers that end for want of work")
    return await asyncio.to_thread(take_sample, fleet)
