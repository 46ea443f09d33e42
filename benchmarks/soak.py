"""Mixed saves, reads, searches and failures for some minutes: does anything fail, grow or stay? `./bench soak`.

./bench soak [--seconds N] [--mode sqlite|celery] [--quick]
"""

import argparse
import asyncio
import sys
from typing import Final

from rich.console import Console
from rich.table import Table

from kept.logs import set_up_logging
from support.chaos.fleet import Mode
from support.chaos.soak import SoakReport, soak

QUICK_SECONDS: Final = 8.0


def as_table(report: SoakReport) -> Table:
    table = Table("", report.mode, title=f"{report.seconds:.0f} s")
    table.add_row("requests", str(dict(report.requests)))
    table.add_row("errors", str(len(report.errors)))
    table.add_row("PSS, second quarter / last quarter", f"{report.quarter(2):.0f} / {report.quarter(4):.0f} MB")
    table.add_row("growth", f"{report.growth:.2f}")
    table.add_row("most descriptors, processes", str(max((s.descriptors, s.processes) for s in report.samples)))
    table.add_row("at rest afterwards", str(report.rested))
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--mode", choices=["sqlite", "celery"])
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    set_up_logging("warning", "console")
    modes = [Mode[options.mode.upper()]] if options.mode else [Mode.SQLITE, Mode.CELERY][: 1 if options.quick else None]
    seconds = QUICK_SECONDS if options.quick else options.seconds
    reports = [asyncio.run(soak(mode, seconds)) for mode in modes]
    for report in reports:
        Console(width=120).print(as_table(report))
        for error in report.errors[:10]:
            print(error)
    return 1 if any(report.errors for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
