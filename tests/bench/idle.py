"""What the embedded default costs when nobody uses it: `./bench idle`.

./bench idle [--seconds N] [--quick]
"""

import argparse
import asyncio
import sys
import time

import psutil

from kept.observability import set_up_logging
from support.chaos.fleet import Fleet, Mode, Shape
from support.chaos.soak import take_sample
from support.chaos.using import use_fleet

MOST_PSS_MB, MOST_CPU = 150.0, 0.01


def cpu_seconds(fleet: Fleet) -> float:
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid, _ in fleet.list_processes())


async def measure(seconds: float, settle_seconds: float) -> int:
    async with use_fleet(Mode.SQLITE, Shape(workers=0), KEPT_LOG_LEVEL="info") as fleet:
        await asyncio.sleep(settle_seconds)  # what starting needs
        started, before = time.monotonic(), cpu_seconds(fleet.fleet)
        await asyncio.sleep(seconds)
        cpu = (cpu_seconds(fleet.fleet) - before) / (time.monotonic() - started)
        sample = take_sample(fleet.fleet)
        commands = [command for _, command in fleet.fleet.list_processes()]
    print(f"PSS {sample.pss_mb:.0f} MB (goal {MOST_PSS_MB:.0f}), CPU {cpu:.2%} of a core (goal {MOST_CPU:.0%})")
    print(f"{sample.processes} processes, {sample.descriptors} descriptors")
    print("\n".join(commands))
    return 0 if sample.pss_mb <= MOST_PSS_MB and cpu <= MOST_CPU else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="./bench idle", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    set_up_logging("warning", "console")
    result = asyncio.run(measure(1.0, 0.0) if options.quick else measure(options.seconds, 5.0))
    return 0 if options.quick else result


if __name__ == "__main__":
    sys.exit(main())
