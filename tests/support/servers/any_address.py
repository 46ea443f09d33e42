"""A network namespace in which every address is local, so that a connection to any of them can be counted.

Imported by tests, and run by itself as the process inside: reads cases as JSON lines, tries each through the gate
and through `dial`, and prints for each what came of it and which addresses were reached.
"""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import quote, unquote

from kept.fetch.dial import Dialled, dial
from kept.fetch.outcome import Fetched, FetchFailed
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.urls.address import unwrap
from kept.urls.url import NormalisedUrl, RejectedUrl, parse_url
from support.servers.sites import LIMITS, PORTS, FakeDns, Request, make_gate, page, read_request, redirect

LISTENED_PORTS = PORTS | {22, 25, 2379, 3128, 5601, 6379, 9001, 11211}
MAKE_EVERYTHING_LOCAL = (
    "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "
)


@dataclass(frozen=True)
class Case:
    """A URL and what its DNS says: for each name the answers in turn, over and over."""

    url: str
    turns: dict[str, list[list[str]]] = field(default_factory=dict)
    runs: int = 1
    allow: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """`reached` are the addresses that the listener saw, `attempts` the connections the kernel saw begun."""

    url: str
    fetched: list[str]
    dialled: list[str]
    reached: list[str]
    attempts: int


def hop_url(hops: int, target: str) -> str:
    """A page on a public address that redirects over `hops` more of them and then to `target`."""
    return f"http://93.184.216.{30 + hops}/hop/{hops}/{quote(target, safe='')}"


@cache
def find_namespace_command() -> tuple[str, ...] | None:
    """How to make the namespace here, or None where it cannot be made."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return None
    for command in (("unshare", "-n"), ("unshare", "-rn")):
        script = (*command, "sh", "-c", f'{MAKE_EVERYTHING_LOCAL} "$@"', "sh")
        if subprocess.run([*script, "true"], capture_output=True, check=False).returncode == 0:
            return script
    return None


def run_cases(cases: Sequence[Case]) -> list[Result]:
    return [Result(**json.loads(line)) for line in run_inside("support.servers.any_address", lines=write_cases(cases))]


def write_cases(cases: Sequence[Case]) -> str:
    return "\n".join(json.dumps(asdict(case)) for case in cases)


def run_inside(module: str, *arguments: str, lines: str = "") -> list[str]:
    """The lines a module prints that runs inside the namespace."""
    command = find_namespace_command()
    assert command is not None
    process = subprocess.run(
        [*command, sys.executable, "-m", module, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


class Listener:
    """Answers on every address; knows which ones were reached."""

    def __init__(self, answer: Callable[[Request], bytes] | None = None) -> None:
        self.reached: list[str] = []
        self.answer = answer or follow_hops

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached.append(str(unwrap(ip_address(writer.get_extra_info("sockname")[0]))))
        try:
            while True:
                writer.write(self.answer(read_request(await reader.readuntil(b"\r\n\r\n"))))
        except (OSError, asyncio.IncompleteReadError, IndexError):
            writer.close()


def follow_hops(request: Request) -> bytes:
    parts = request.target.split("/")
    if len(parts) < 4 or parts[1] != "hop":
        return page()
    hops, target = int(parts[2]), unquote(parts[3])
    return redirect(hop_url(hops - 1, target) if hops else target)


def listening_sockets() -> Iterator[socket.socket]:
    for port in LISTENED_PORTS:
        yield socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)


def count_attempts() -> int:
    """Every `connect` of this namespace, to whatever port, whether anyone listened or not."""
    names, values = [
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Tcp:")
    ]
    return int(values[names.index("ActiveOpens")])


async def try_case(case: Case, listener: Listener) -> Result:
    listener.reached.clear()
    before = count_attempts()
    url = parse_url(case.url)
    if isinstance(url, NormalisedUrl):
        fetched, dialled = await fetch(url, case), await dial_once(url, case)
    else:
        fetched = dialled = [url.reason if isinstance(url, RejectedUrl) else url.scheme]
    return Result(case.url, fetched, dialled, list(listener.reached), count_attempts() - before)


async def fetch(url: NormalisedUrl, case: Case) -> list[str]:
    limits = replace(LIMITS, total_seconds=10)
    async with make_gate(*case.allow, dns=FakeDns(turns=case.turns)) as gate:
        outcomes = [await gate.fetch(url, limits) for _ in range(case.runs)]
    return ["fetched" if isinstance(outcome, Fetched) else outcome.reason for outcome in outcomes]


async def dial_once(url: NormalisedUrl, case: Case) -> list[str]:
    dns, policy = FakeDns(turns=case.turns), EgressPolicy(ports=PORTS)
    outcomes: list[str] = []
    for _ in range(case.runs):
        match await dial(url, TrustLevel.SAVED, policy=policy, resolver=dns, connect_seconds=10):
            case Dialled(writer=writer):
                writer.close()
                outcomes.append("connected")
            case FetchFailed(reason=reason):
                outcomes.append(reason)
    return outcomes


async def show_that_the_listener_hears(listener: Listener) -> None:
    for address in ("10.0.0.1", "169.254.169.254", "fd00:ec2::254", "93.184.216.34"):
        _, writer = await asyncio.open_connection(address, 80)
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        await writer.drain()
        writer.close()
        async with asyncio.timeout(10):
            while str(ip_address(address)) not in listener.reached:
                await asyncio.sleep(0.001)


async def main() -> None:
    listener = Listener()
    for sock in listening_sockets():
        await asyncio.start_server(listener.serve, sock=sock)
    await show_that_the_listener_hears(listener)
    for line in sys.stdin:
        print(json.dumps(asdict(await try_case(Case(**json.loads(line)), listener))))


if __name__ == "__main__":
    asyncio.run(main())
