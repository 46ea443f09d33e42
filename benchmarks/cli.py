"""How long short commands take: `./bench cli`.

    ./bench cli [--rounds N] [--kept PATH]... [--quick]

Each command is run as a shell runs it, on a library of 1,000 items; processor time first, since it says more than the
clock on a busy machine. With `--kept` the commands of other installations (an older checkout's `.venv/bin/kept`) take
turns with this one's, on a library of their own.
"""

import argparse
import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Final

from benchmarks.save import add_ann, fill

KEPT: Final = Path(sys.executable).with_name("kept")
ITEMS: Final = 1_000
GOAL_MS: Final = 600.0
COMMANDS: Final = (("list",), ("list", "--json"), ("search", "article"), ("queue",), ("--version",))


def time_command(kept: Path, command: tuple[str, ...], folder: Path) -> tuple[float, float]:
    """Milliseconds of processor time and of the clock."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([kept, *command], env=clean | {"KEPT_DATA_DIR": str(folder)}, check=True, stdout=subprocess.DEVNULL)
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu * 1000, took * 1000


def measure(installations: list[Path], rounds: int, items: int) -> bool:
    with tempfile.TemporaryDirectory() as name:
        folders = {kept: Path(name) / str(number) for number, kept in enumerate(installations)}
        for folder in folders.values():
            folder.mkdir()
            add_ann(folder)
            asyncio.run(fill(folder, items))
        taken: dict[tuple[Path, tuple[str, ...]], list[tuple[float, float]]] = defaultdict(list)
        for _ in range(rounds + 1):
            for command in COMMANDS:
                for kept in installations:
                    taken[kept, command].append(time_command(kept, command, folders[kept]))
    return report({key: times[1:] for key, times in taken.items()})  # the first may write bytecode


def report(taken: dict[tuple[Path, tuple[str, ...]], list[tuple[float, float]]]) -> bool:
    slowest = 0.0
    for (kept, command), times in taken.items():
        cpu, clock = (statistics.median(one) for one in zip(*times, strict=True))
        print(f"  {' '.join(command):16} {cpu:6.0f} ms of processor time, {clock:6.0f} ms   {kept}")
        slowest = max(slowest, clock if kept == KEPT else 0.0)
    print(f"  slowest of this installation: {slowest:.0f} ms (goal ≤ {GOAL_MS:.0f})")
    return slowest <= GOAL_MS


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench cli", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kept", type=Path, action="append", default=[], help="another installation's `kept`")
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    met = measure([KEPT, *options.kept], *((1, 10) if options.quick else (options.rounds, ITEMS)))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
