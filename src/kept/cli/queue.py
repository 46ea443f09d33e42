"""`kept queue`, `kept stats` and `kept retry`: the work that waits, how well saving goes, and pages to try again."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.text import Text

from kept.cli.output import AsJson, Cell, Styled, count, print_line, print_table, show_share, show_waiting
from kept.cli.running import log_warnings, run
from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.domain.errors import KeptError
from kept.domain.failures import FailureCode
from kept.domain.job import Depth, JobState, Queue, count_states, find_oldest_due
from kept.domain.statistics import Figure

if TYPE_CHECKING:
    from uuid import UUID

    from kept.services.maintenance.figures import Success
    from kept.wiring.server import Kept

Report = dict[str, Any]  # as it is printed as JSON
Days = Annotated[int, typer.Option(help="Count pages saved in the last N days.", min=1, max=36_500)]
MARKS: Final[dict[bool | None, Cell]] = {True: Styled("met", "green"), False: Styled("missed", "red"), None: ""}


# --- kept queue ---------------------------------------------------------------------------------------------------


def queue(as_json: AsJson = False) -> None:
    """Show the queue: depth, the oldest due job, what is in flight, the busiest hosts, the last failures."""
    log_warnings()
    found = asyncio.run(look(load_settings()))
    if as_json:
        print(json.dumps(found, indent=2, default=str))
    else:
        show_queue(found)


async def look(settings: Settings) -> Report:
    from kept.services.maintenance.figures import report_queue
    from kept.wiring.stores import open_database

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


def show_queue(report: Report) -> None:
    titles = ("queue", "in flight", "due", "waiting for host", "delayed", "oldest due", "kinds")
    print_table(titles, [row_of(queue) for queue in report["queues"]])
    for host in report["hosts"]:
        print_line(f"  {host['jobs']:>6}  {host['host']}")
    for failure in report["last_failures"]:
        at = failure["failed_at"].strftime("%Y-%m-%d %H:%M")
        print_line(f"{at}  {failure['code']}  {failure['media_id']}  {failure['message']}")


def row_of(queue: Report) -> list[str]:
    oldest = queue["oldest_due_seconds"]
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(queue["kinds"].items()))
    counts = (str(queue[state.value]) for state in JobState)
    return [queue["queue"], *counts, "" if oldest is None else f"{oldest:.0f} s", kinds]


# --- kept stats ---------------------------------------------------------------------------------------------------


def stats(days: Days = 30, as_json: AsJson = False) -> None:
    """Show how well saving goes: how many saves showed title, excerpt and image at once, and how quickly."""
    log_warnings()
    with show_waiting("counting"):
        found = asyncio.run(measure(load_settings(), days))
    if as_json:
        print(json.dumps(asdict(found), indent=2))
    else:
        show_success(found, days)


async def measure(settings: Settings, days: int) -> Success:
    from kept.services.maintenance.figures import measure_success
    from kept.wiring.stores import open_database

    async with open_database(settings) as database:
        await database.check()
        return await measure_success(database, utc_now() - timedelta(days=days))


def show_success(found: Success, days: int) -> None:
    rows = [
        (figure.says, percent(figure.share), f"{figure.count:,} of {figure.whole:,}", goal(figure))
        for figure in found.figures
    ]
    print_table((f"in the last {days} days", "share", "number", "goal"), rows)
    shared = f"{count(found.pages, 'page')} saved; {found.shared_pages:,} in several libraries, each stored once"
    double = f"; {found.double_pages:,} stored twice, which is a bug" if found.double_pages else ""
    print_line(f"{shared}{double}.")


def goal(figure: Figure) -> Text:
    if figure.goal is None:
        return Text()
    return Text.assemble(f"at least {percent(figure.goal)} ", MARKS[figure.is_met])


def percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.0f} %"


# --- kept retry ---------------------------------------------------------------------------------------------------


def retry(
    pages: Annotated[
        list[str] | None, typer.Argument(metavar="ITEM|URL", help="Items or media by id, or pages by URL.")
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Retry everything that failed.")] = False,
    code: Annotated[FailureCode | None, typer.Option("--code", help="Retry what failed with this code.")] = None,
    card_only: Annotated[
        bool, typer.Option("--card-only", help="Save the articles of pages of which only the card was saved.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Queue pages for another attempt. Exits 1 if one of those named could not be retried."""
    from kept.services.ingesting.retries import list_card_only, list_failed

    if not (pages or failed or code or card_only):
        raise typer.BadParameter("give ids or URLs, --failed, --code E_…, or --card-only", param_hint="ITEM|URL")

    async def action(kept: Kept) -> tuple[int, list[str]]:
        chosen, refused = await find_named(kept, pages or [])
        chosen += await kept.read(list_failed, code) if failed or code else ()
        chosen += await kept.read(list_card_only) if card_only else ()
        return await queue_each(kept, chosen, refused), refused

    queued, refused = run(action)
    if as_json:
        print(json.dumps({"queued": queued, "refused": refused}))
    else:
        print(f"queued {queued}")
        for message in refused:
            print(f"kept: {message}", file=sys.stderr)
    raise typer.Exit(1 if refused else 0)


async def find_named(kept: Kept, pages: list[str]) -> tuple[list[UUID], list[str]]:
    """Return the ids of media, and why some of the names lead nowhere."""
    from kept.services.pages.identity import resolve_page

    found, refused = list["UUID"](), list[str]()
    for named in pages:
        try:
            found += await resolve_page(kept.database, named)
        except KeptError as error:
            refused.append(error.message)
    return found, refused


async def queue_each(kept: Kept, chosen: list[UUID], refused: list[str]) -> int:
    """Return how many were queued; the reasons why others were not are added to `refused`."""
    from kept.services.ingesting.retries import retry_failed

    queued = 0
    with show_share("queueing", len(chosen)) as advance:
        for media_id in chosen:
            try:
                await kept.write(retry_failed, media_id, now=kept.now())
                queued += 1
            except KeptError as error:
                refused.append(error.message)
            advance(1)
    return queued
