"""`kept stats`: how many saves succeeded, and how quickly."""

import asyncio
import json
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from kept.bootstrap import open_database
from kept.cli.console import make_console
from kept.cli.counts import count
from kept.cli.options import AsJson
from kept.cli.progress import show_waiting
from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.domain.statistics import Figure
from kept.services.maintenance.figures import Success, measure_success

Days = Annotated[int, typer.Option(help="Count pages saved in the last N days.", min=1, max=36_500)]
MARKS: Final = {True: "[green]met[/]", False: "[red]missed[/]", None: ""}


def stats(days: Days = 30, as_json: AsJson = False) -> None:
    """Show how well saving goes: how many saves showed title, excerpt and image at once, and how quickly."""
    with show_waiting("counting"):
        found = asyncio.run(measure(load_settings(), days))
    if as_json:
        print(json.dumps(asdict(found), indent=2))
    else:
        show(found, days, make_console())


async def measure(settings: Settings, days: int) -> Success:
    async with open_database(settings) as database:
        await database.check()
        return await measure_success(database, utc_now() - timedelta(days=days))


def show(found: Success, days: int, console: Console) -> None:
    table = Table(f"in the last {days} days", "share", "number", "goal", box=None)
    for figure in found.figures:
        table.add_row(figure.says, percent(figure.share), f"{figure.count:,} of {figure.whole:,}", goal(figure))
    console.print(table)
    shared = f"{count(found.pages, 'page')} saved; {found.shared_pages:,} in several libraries, each stored once"
    double = f"; {found.double_pages:,} stored twice, which is a bug" if found.double_pages else ""
    console.print(f"{shared}{double}.", highlight=False)


def goal(figure: Figure) -> str:
    if figure.goal is None:
        return ""
    return f"at least {percent(figure.goal)} {MARKS[figure.is_met]}"


def percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.0f} %"
