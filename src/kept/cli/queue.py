"""`kept queue`: what waits, what runs, what failed last."""

import asyncio
import json
from dataclasses import asdict, dataclass
from datetime import datetime

from rich.console import Console
from rich.table import Table

from kept.bootstrap import open_database
from kept.cli.config import AsJson
from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.domain.job import JobKind, Queue
from kept.domain.queue_report import JobState, QueueReport, count_states, find_oldest_due
from kept.services.maintenance.report_queue import report_queue


@dataclass(frozen=True, slots=True)
class QueueLine:
    queue: Queue
    states: dict[JobState, int]
    kinds: dict[JobKind, int]
    oldest_due_seconds: float | None

    def as_json(self) -> dict[str, object]:
        return {
            "queue": self.queue,
            **{state.value: self.states[state] for state in JobState},
            "kinds": self.kinds,
            "oldest_due_seconds": self.oldest_due_seconds,
        }


def queue(as_json: AsJson = False) -> None:
    """Show the queue: depth, the oldest due job, what is in flight, the busiest hosts, the last failures."""
    now = utc_now()
    found = asyncio.run(look(load_settings(), now))
    lines = [summarise(queue, found, now) for queue in Queue]
    if as_json:
        print(json.dumps(as_json_object(found, lines), indent=2, default=str))
    else:
        show(found, lines, Console())


async def look(settings: Settings, now: datetime) -> QueueReport:
    async with open_database(settings) as database:
        await database.check()
        return await report_queue(database, now=now, lease_seconds=settings.lease_seconds)


def summarise(queue: Queue, found: QueueReport, now: datetime) -> QueueLine:
    own = [depth for depth in found.depths if depth.queue is queue]
    oldest, states = find_oldest_due(own, queue), count_states(own)
    return QueueLine(
        queue,
        {state: states[state] for state in JobState},
        {kind: sum(depth.jobs for depth in own if depth.kind is kind) for kind in {depth.kind for depth in own}},
        round((now - oldest).total_seconds(), 1) if oldest else None,
    )


def as_json_object(found: QueueReport, lines: list[QueueLine]) -> dict[str, object]:
    return {
        "queues": [line.as_json() for line in lines],
        "hosts": [asdict(host) for host in found.hosts],
        "last_failures": [asdict(failure) for failure in found.last_failures],
    }


def show(found: QueueReport, lines: list[QueueLine], console: Console) -> None:
    table = Table("queue", "in flight", "due", "waiting for host", "delayed", "oldest due", "kinds", box=None)
    for line in lines:
        oldest = "" if line.oldest_due_seconds is None else f"{line.oldest_due_seconds:.0f} s"
        kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(line.kinds.items()))
        table.add_row(line.queue, *(str(line.states[state]) for state in JobState), oldest, kinds)
    console.print(table)
    for host in found.hosts:
        console.print(f"  {host.jobs:>6}  {host.host}", highlight=False)
    for failure in found.last_failures:
        told = f"{failure.failed_at:%Y-%m-%d %H:%M}  {failure.code}  {failure.media_id}  {failure.message}"
        console.print(told, highlight=False, markup=False)
