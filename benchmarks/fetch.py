"""What the gate costs: CPU per request against bare aiohttp, and 100 slow pages at once.

    ./bench fetch [--requests N] [--rounds N] [--quick]

A server in a process of its own serves a page of 100 kB on loopback. Bare aiohttp and the gate fetch it in turns,
over connections kept alive, by the same host name and the same fake DNS, in many short rounds; the best round of each
counts, since noise only ever adds. Exits with 1 if a goal is missed.
"""

import argparse
import asyncio
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from socket import AF_INET, AddressFamily
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from kept.fetch.limits import FetchLimits
from kept.fetch.outcome import Fetched
from kept.urls.url import get_url
from support.servers.sites import FakeDns, Request, make_gate, page, redirect, run_site

CPU_GOAL: Final = 1.3
CONCURRENT_GOAL_SECONDS: Final = 1.2
PAGE: Final = page(b"<p>It was a bright cold day.</p>" * 3200)
LIMITS: Final = FetchLimits(total_seconds=30, connect_seconds=10, read_seconds=15, max_bytes=10 * 1024 * 1024)
HOST: Final = "site.example"


async def serve() -> None:
    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        match request.target:
            case "/slow":
                await asyncio.sleep(0.5)
                writer.write(PAGE)
            case "/redirect":
                writer.write(redirect("/page"))
            case "/close":
                writer.write(PAGE.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                await writer.drain()
                writer.close()
            case _:
                writer.write(PAGE)

    async with run_site(answer) as site:
        print(site.port, flush=True)
        await asyncio.Event().wait()


class LoopbackResolver(AbstractResolver):
    async def resolve(self, host: str, port: int = 0, family: AddressFamily = AF_INET) -> list[ResolveResult]:
        return [ResolveResult(hostname=host, host="127.0.0.1", port=port, family=AF_INET, proto=0, flags=0)]

    async def close(self) -> None: ...


async def cpu_us(fetch: Callable[[], Awaitable[int]], requests: int) -> float:
    """CPU of this process for one request, in microseconds."""
    gc.collect()
    before = time.process_time()
    for _ in range(requests):
        assert await fetch() == len(PAGE.partition(b"\r\n\r\n")[2])
    return (time.process_time() - before) / requests * 1e6


async def compare_cpu(port: int, path: str, requests: int, rounds: int) -> tuple[float, float]:
    url = f"http://{HOST}:{port}{path}"
    connector = aiohttp.TCPConnector(resolver=LoopbackResolver())
    allow = f"127.0.0.1/32:{port}"
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        make_gate(allow, dns=FakeDns({HOST: ["127.0.0.1"]})) as gate,
    ):
        normalised = get_url(url)

        async def bare() -> int:
            async with session.get(url) as response:
                return len(await response.read())

        async def gated() -> int:
            outcome = await gate.fetch(normalised, LIMITS)
            return len(outcome.body) if isinstance(outcome, Fetched) else -1

        await cpu_us(bare, 50)
        await cpu_us(gated, 50)
        pairs = [(await cpu_us(bare, requests), await cpu_us(gated, requests)) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


async def concurrent_seconds(port: int, count: int) -> float:
    names = [f"site{n}.example" for n in range(count)]
    async with make_gate(f"127.0.0.1/32:{port}", dns=FakeDns({name: ["127.0.0.1"] for name in names})) as gate:
        started = time.perf_counter()
        fetches = (gate.fetch(get_url(f"http://{name}:{port}/slow"), LIMITS) for name in names)
        outcomes = await asyncio.gather(*fetches)
        seconds = time.perf_counter() - started
    assert all(isinstance(outcome, Fetched) for outcome in outcomes)
    return seconds


async def measure(port: int, requests: int, rounds: int) -> bool:
    good = True
    for name, path, binding in (
        ("by host name", "/page", True),
        ("through one redirect", "/redirect", True),
        ("a new connection each", "/close", False),
    ):
        bare, gated = await compare_cpu(port, path, requests, rounds)
        good &= not binding or gated <= CPU_GOAL * bare
        goal = f"goal {CPU_GOAL}" if binding else "for information"
        print(f"CPU per request, {name:22} bare {bare:6.0f} µs  gate {gated:6.0f} µs  {gated / bare:.2f}×  ({goal})")
    runs = sorted([await concurrent_seconds(port, 100) for _ in range(5)])
    good &= statistics.median(runs) < CONCURRENT_GOAL_SECONDS
    shown = ", ".join(f"{seconds:.2f}" for seconds in runs)
    print(f"100 fetches of a 500 ms page at once: {shown} s  (goal {CONCURRENT_GOAL_SECONDS} s)")
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    requests, rounds = (20, 5) if arguments.quick else (arguments.requests, arguments.rounds)
    if arguments.serve:
        asyncio.run(serve())
        return
    with subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            good = asyncio.run(measure(int(server.stdout.readline()), requests, rounds))
        finally:
            server.kill()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
