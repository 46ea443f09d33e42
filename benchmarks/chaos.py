"""Saves through the API while workers, browsers, databases and brokers are killed at random: `./bench chaos`.

    ./bench chaos [--saves N] [--seconds N] [--seed N] [--mode sqlite|postgres|celery] [--quick]

The table says who was killed how often, and what was left of it: nothing that a user could miss.
"""

import argparse
import asyncio
import sys

from rich.console import Console
from rich.table import Table

from kept.logs import set_up_logging
from support.chaos.fleet import Mode, Victim
from support.chaos.storm import Plan, Report, weather

# Not 1, which benches end with that were only slow.
BROKEN = 3


def as_table(reports: list[Report], plan: Plan) -> Table:
    table = Table("", *(report.mode for report in reports), title=f"{plan.saves} saves, seed {plan.seed}")
    for victim in Victim:
        table.add_row(f"kill -9: {victim}", *(str(report.kills[victim]) for report in reports))
    table.add_section()
    table.add_row("saves accepted", *(str(report.saves) for report in reports))
    table.add_row("answers lost or refused, tried again", *(str(report.refused.total()) for report in reports))
    found = [report.findings for report in reports if report.findings]
    for state in sorted({state for one in found for state in one.states}):
        table.add_row(f"media {state}", *(str(one.states[state]) for one in found))
    table.add_row("fragments", *(str(one.fragments) for one in found))
    table.add_row("attempts", *(str(one.attempts) for one in found))
    table.add_row("jobs left", *(str(one.jobs) for one in found))
    table.add_row("orphans", *(str(len(report.orphans) + len(report.left_running)) for report in reports))
    table.add_row("promises broken", *(str(len(report.broken)) for report in reports))
    table.add_row("storm, s", *(f"{report.storm_seconds:.0f}" for report in reports))
    table.add_row("then drained in, s", *(f"{report.drain_seconds:.1f}" for report in reports))
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench chaos", description=__doc__)
    parser.add_argument("--saves", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--mode", choices=[mode.name.lower() for mode in Mode])
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    set_up_logging("warning", "console")
    saves, seconds = (20, 4.0) if options.quick else (options.saves, options.seconds)
    plan = Plan(saves, seconds, kill_every_seconds=(0.3, 1.5), seed=options.seed)
    modes = [Mode[options.mode.upper()]] if options.mode else list(Mode)[: 1 if options.quick else None]
    reports = [asyncio.run(weather(mode, plan)) for mode in modes]
    console = Console(width=120)
    console.print(as_table(reports, plan))
    for report in reports:
        console.print(report.mode, "logged as errors:", dict(report.errors), "refused:", dict(report.refused))
        for fault in report.broken:
            console.print(f"  {fault}", style="red", highlight=False)
    return BROKEN if any(report.broken for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
