"""Every bench one after the other: `./bench all --quick`. A smoke test: it fails on errors and not on times.

    ./bench all --quick [--only NAME,NAME] [--seconds N] [--at-once N]

Each bench runs as its own process, as `./bench NAME --quick` does. A bench that misses a goal exits with 1 and says so;
that counts as "slow" here, since a busy machine is no fault. One that raises, is killed or takes too long has failed.
Two run at a time, since no time that is measured here means anything, and most of them wait for processes to start.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from support.servers.jsdom_worker import install_jsdom

FOLDER: Final = Path(__file__).parent
# What an exception leaves behind, whatever its kind; argparse's own refusal ends with 2.
TRACEBACK: Final = "Traceback (most recent call last)"
MISSED: Final = 1
LAST_LINES: Final = 15


# How a bench says that the pages it measures on are missing.
ABSENT: Final = "are not here"


class Verdict(StrEnum):
    GOOD = "ran"
    SLOW = "ran, a goal missed"
    ABSENT = "NOT RUN: what it measures on is not here"
    FAILED = "FAILED"


@dataclass(frozen=True)
class Ran:
    name: str
    verdict: Verdict
    seconds: float
    output: str


def list_benches() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != Path(__file__).stem)


def run(name: str, limit_seconds: float) -> Ran:
    command = [sys.executable, str(FOLDER / f"{name}.py"), "--quick"]
    environment = os.environ | {"PYTHONPATH": f"{FOLDER.parent}:{FOLDER.parent / 'tests'}"}
    started = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit_seconds)
            verdict = judge(process.returncode, output)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # it leads a group of its own
            output, verdict = f"longer than {limit_seconds:.0f} s", Verdict.FAILED
    return Ran(name, verdict, time.monotonic() - started, output)


def judge(status: int, output: str) -> Verdict:
    if status == 0 and TRACEBACK not in output:
        return Verdict.GOOD
    if status == MISSED and ABSENT in output:
        return Verdict.ABSENT
    return Verdict.SLOW if status == MISSED and TRACEBACK not in output else Verdict.FAILED


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench all", description=__doc__)
    parser.add_argument("--quick", action="store_true", required=True, help="there is no other way to run them all")
    parser.add_argument("--only", help="these, separated by commas")
    parser.add_argument("--seconds", type=float, default=300.0, help="that one bench may take, ten times what it needs")
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    install_jsdom()  # for two benches, which would be in each other's way
    started, ran = time.monotonic(), []
    with ThreadPoolExecutor(options.at_once) as running:
        names = options.only.split(",") if options.only else list_benches()
        for done in as_completed([running.submit(run, name, options.seconds) for name in names]):
            ran.append(done.result())
            print(f"{ran[-1].name:10} {ran[-1].seconds:6.1f} s  {ran[-1].verdict}", flush=True)
    for one in ran:
        if one.verdict is Verdict.FAILED:
            print(f"\n{one.name}:\n" + "\n".join(one.output.splitlines()[-LAST_LINES:]))
    print(f"{'all':10} {time.monotonic() - started:6.1f} s")
    return 1 if any(one.verdict is Verdict.FAILED for one in ran) else 0


if __name__ == "__main__":
    sys.exit(main())
