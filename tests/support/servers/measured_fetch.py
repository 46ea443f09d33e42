"""Run as a process of its own: one fetch from a loopback port, and how much memory it took at its peak.

Arguments: the URL to measure, the URL of a small page to warm up with, the deadline in seconds. Prints JSON.
"""

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from kept.fetch.outcome import Fetched
from kept.urls.url import get_url
from support.servers.sites import LIMITS, make_gate


def read_memory_mb(field: str) -> float:
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field)]
    return int(line.split()[1]) / 1024


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


async def main(url: str, warm_up_url: str, deadline_seconds: float) -> None:
    limits = replace(LIMITS, total_seconds=deadline_seconds)
    target = get_url(url)
    calm = get_url(warm_up_url)
    async with make_gate(f"127.0.0.1/32:{target.port}", f"127.0.0.1/32:{calm.port}") as gate:
        assert isinstance(await gate.fetch(calm, limits), Fetched)
        forget_peak()
        before, started = read_memory_mb("VmRSS"), time.monotonic()
        outcome = await gate.fetch(target, limits)
        seconds, peak = time.monotonic() - started, read_memory_mb("VmHWM")
    reason = "fetched" if isinstance(outcome, Fetched) else outcome.reason
    print(json.dumps({"reason": reason, "seconds": seconds, "growth_mb": peak - before}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))
