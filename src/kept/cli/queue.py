"""`kept queue`: waiting and running jobs, and the last failures."""

import asyncio
import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from kept.bootstrap import open_database
from kept.cli.console import print_line, print_table
from kept.cli.options import AsJson
from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.domain.job import Depth, JobState, Queue, count_states, find_oldest_due
from kept.services.maintenance.figures import report_queue

Report = dict[str, Any]  # as it is printed as JSON


def queue(as_json: AsJson = False) -> None:
    """Show the queue: depth, the oldest due job, what is in flight, the busiest hosts, the last failures."""
    found = asyncio.run(look(load_settings()))
    if as_json:
        print(json.dumps(found, indent=2, default=str))
    else:
        show(found)


async def look(settings: Settings) -> Report:
    now = utc_now()
    async with open_database(settings) as database:
        await database.check()
        found = await database.read(report_queue, now=now, lease_seconds=settings.lease_seconds)
    return {
        "queues": [describe(queue, found.depths, now) for queue in Queue],
        "hosts": [asdict(host) for host in found.hosts],
        "last_failures": [asdict(failure) for failure in found.last_failures],
    }


def describe(queue: Queue, depths: list[Depth], now: datetime) -> Report:
    own = [depth for depth in depths if depth.queue is queue]
    oldest = find_oldest_due(own, queue)
    return {
        "queue": queue,
        **{state.value: count_states(own)[state] for state in JobState},
        "kinds": {kind: sum(depth.jobs for depth in own if depth.kind is kind) for kind in {d.kind for d in own}},
        "oldest_due_seconds": round((now - oldest).total_seconds(), 1) if oldest else None,
    }


def show(found: Report) -> None:
    titles = ("queue", "in flight", "due", "waiting for host", "delayed", "oldest due", "kinds")
    print_table(titles, [row_of(queue) for queue in found["queues"]])
    for host in found["hosts"]:
        print_line(f"  {host['jobs']:>6}  {host['host']}")
    for failure in found["last_failures"]:
        at = failure["failed_at"].strftime("%Y-%m-%d %H:%M")
        print_line(f"{at}  {failure['code']}  {failure['media_id']}  {failure['message']}")


def row_of(queue: Report) -> list[str]:
    oldest = queue["oldest_due_seconds"]
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(queue["kinds"].items()))
    counts = (str(queue[state.value]) for state in JobState)
    return [queue["queue"], *counts, "" if oldest is None else f"{oldest:.0f} s", kinds]
