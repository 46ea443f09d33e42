"""The storm: people save pages through the API while everything that can be killed is killed; then calm, and a look."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import aiohttp

from kept.storage.database.engine import Database
from support.builders.accounts import make_token, make_user
from support.builders.jobs import count_jobs
from support.chaos.findings import Accepted, Findings, look
from support.chaos.fleet import ONE_OF_EACH, Fleet, Mode, Victim, prepare_fleet, reviving, run_fleet
from support.chaos.site import SavedPage, run_site

SAVERS: Final = ("ann", "bob", "cem")
HANDS: Final = 6  # saves at once
RETRY_SECONDS: Final = 0.2
DRAIN_SECONDS: Final = 240.0
ORPHAN_GRACE_SECONDS: Final = 15.0
# A server takes seconds to start, and while it does nothing is saved that could be lost: so it dies less often.
WEIGHTS: Final = {Victim.SERVER: 1, Victim.WORKER: 4, Victim.BROWSER: 4}
USUAL_WEIGHT: Final = 2
# With random kills every few hundred milliseconds a page may lose many workers before one gets through; what is proved
# here is that none is lost, so that nobody gives up.
PATIENT: Final = {"KEPT_MAX_ATTEMPTS": "60"}


@dataclass(frozen=True)
class Plan:
    """How hard it blows: so many saves over so many seconds, and in these a kill every so often."""

    saves: int
    seconds: float
    kill_every_seconds: tuple[float, float]
    seed: int = 6


@dataclass
class Report:
    mode: Mode
    saves: int = 0
    kills: Counter[Victim] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    findings: Findings | None = None
    orphans: list[str] = field(default_factory=list)
    left_running: list[str] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    deadlocks: list[str] = field(default_factory=list)
    storm_seconds: float = 0.0
    drain_seconds: float = 0.0

    @property
    def broken(self) -> list[str]:
        """Every promise that was not kept."""
        left = [f"orphan: {process}" for process in self.orphans]
        left += [f"still there after the end: {process}" for process in self.left_running]
        left += [f"PostgreSQL had to end a deadlock: {told}" for told in self.deadlocks]
        return [*(self.findings.broken if self.findings else ["nobody looked"]), *left]


async def weather(mode: Mode, plan: Plan) -> Report:
    """One storm from beginning to end."""
    report = Report(mode)
    async with run_site(plan.saves, plan.seed) as site:
        with prepare_fleet(mode, site.origin, ONE_OF_EACH, **PATIENT) as fleet:
            async with run_fleet(fleet) as database:
                people = await make_people(database)
                started = time.monotonic()
                async with reviving(fleet):
                    accepted = await save_all_while_killing(fleet, site.pages, people, plan, report)
                    report.storm_seconds = time.monotonic() - started
                    report.drain_seconds = await drain(database)
                    report.orphans = await settle(fleet.find_orphans)
                report.findings = look(database, accepted)
            report.left_running = await settle(lambda: [command for _, command in fleet.list_processes()])
            report.deadlocks = list_deadlocks(fleet.postgres.read_log()) if fleet.postgres else []
            report.errors = Counter(str(line.get("event")) for line in fleet.read_errors())
    return report


def list_deadlocks(log: str) -> list[str]:
    """Each with who waited for whom, and for what."""
    lines = log.splitlines()
    return ["\n".join(lines[at : at + 12]) for at, line in enumerate(lines) if "deadlock detected" in line]


@dataclass(frozen=True)
class Saver:
    user_id: UUID
    token: str


async def make_people(database: Database) -> list[Saver]:
    people = []
    for name in SAVERS:
        user = make_user(database, name)
        people.append(Saver(user.id, await make_token(database, user)))
    return people


async def save_all_while_killing(
    fleet: Fleet, pages: list[SavedPage], people: list[Saver], plan: Plan, report: Report
) -> list[Accepted]:
    killing = asyncio.create_task(kill_at_random(fleet, plan, report))
    accepted: list[Accepted] = []
    waiting = list(enumerate(pages))[::-1]
    started = time.monotonic()

    async def work(session: aiohttp.ClientSession) -> None:
        while waiting:
            number, page = waiting.pop()
            await asyncio.sleep(max(started + plan.seconds * number / len(pages) - time.monotonic(), 0))
            accepted.append(await save(session, fleet, page, people[number % len(people)], report))

    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as session:
        await asyncio.gather(*(work(session) for _ in range(HANDS)))
    await killing
    report.saves = len(accepted)
    return accepted


async def save(session: aiohttp.ClientSession, fleet: Fleet, page: SavedPage, saver: Saver, report: Report) -> Accepted:
    """Until it is accepted, as a person would who is told that it did not work."""
    headers = {"Authorization": f"Bearer {saver.token}"}
    while True:
        try:
            async with session.post(f"{fleet.address}/api/v1/items", json={"url": page.url}, headers=headers) as answer:
                if answer.status in {200, 201}:
                    return Accepted(page, saver.user_id, UUID((await answer.json())["data"]["id"]))
                if answer.status < 500:
                    raise AssertionError(f"{answer.status}: {await answer.text()}")
                report.refused[str(answer.status)] += 1
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            report.refused[type(error).__name__] += 1
        await asyncio.sleep(RETRY_SECONDS)


async def kill_at_random(fleet: Fleet, plan: Plan, report: Report) -> None:
    dice = random.Random(plan.seed)
    absent = {Mode.SQLITE: {Victim.DATABASE, Victim.BROKER}, Mode.POSTGRES: {Victim.BROKER}}
    victims = [victim for victim in Victim if victim not in absent.get(fleet.mode, set())]
    weights = [WEIGHTS.get(victim, USUAL_WEIGHT) for victim in victims]
    ends_at = time.monotonic() + plan.seconds
    while time.monotonic() < ends_at:
        await asyncio.sleep(dice.uniform(*plan.kill_every_seconds))
        [victim] = dice.choices(victims, weights)
        while not await asyncio.to_thread(fleet.kill, victim, dice):  # there is none of them just now
            victim = dice.choice(victims)
        report.kills[victim] += 1
        if victim in {Victim.DATABASE, Victim.BROKER}:
            await asyncio.sleep(dice.uniform(0.0, 1.0))
            await asyncio.to_thread(fleet.start_again, victim)


async def drain(database: Database) -> float:
    """Seconds until no job is left, or nobody waits any longer: then the findings tell which."""
    started = time.monotonic()
    while time.monotonic() - started < DRAIN_SECONDS:
        with contextlib.suppress(Exception):  # connections that the database's death left in the pool
            if count_jobs(database) == 0:
                break
        await asyncio.sleep(0.1)
    return time.monotonic() - started


async def settle(list_faults: Callable[[], list[str]]) -> list[str]:
    """A process that is told to end takes a moment to."""
    deadline = time.monotonic() + ORPHAN_GRACE_SECONDS
    while (faults := await asyncio.to_thread(list_faults)) and time.monotonic() < deadline:
        await asyncio.sleep(0.2)
    return faults
