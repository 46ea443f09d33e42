"""Check of the egress gate: it must not reach the private network. Nothing leaves the machine for this."""

import asyncio
from ipaddress import ip_address
from typing import Final

from kept.cli.checks.finding import Finding
from kept.config import Settings
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import FORBIDDEN, FetchFailed
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.urls.url import NormalisedUrl, parse_url

# Spellings of the loopback address that some URL parser somewhere takes for a public host.
OURSELVES: Final = (
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0x7f000001",
    "2130706433",
    "127.1",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",  # noqa: S104 an address to refuse
)
# Private addresses a page may name; checked against the policy, not connected to.
INSIDE: Final = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fd00::1", "fe80::1", "169.254.1.1")
# Cloud metadata services: no allow list opens these.
METADATA: Final = ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
ADVICE: Final = "Do not let anybody save links until this is fixed, and please report it."


async def check_egress(settings: Settings) -> Finding:
    """A listener on loopback must not get any connection through the gate."""
    visitors = 0

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal visitors
        visitors += 1
        writer.close()

    listener = await asyncio.start_server(count, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, Gate.from_settings(settings) as gate:
        reached = [host for host in OURSELVES if not await is_refused(gate, settings, host, port)]
    if visitors or reached:
        return Finding(
            "egress", "broken", f"the gate reached private addresses: {', '.join(reached) or visitors}", ADVICE
        )
    let_through = judge(EgressPolicy.from_settings(settings))
    if let_through:
        return Finding("egress", "broken", f"the gate would connect to {', '.join(let_through)}", ADVICE)
    opened = ", ".join(map(str, settings.fetch_allow))
    if opened:
        advice = "Everybody who may save a link can read what is served there: see docs/security.md."
        return Finding("egress", "ok", f"blocks private networks except KEPT_FETCH_ALLOW: {opened}", advice)
    return Finding(
        "egress", "ok", f"blocks private networks ({len(OURSELVES) + len(INSIDE) + len(METADATA)} addresses tried)"
    )


async def is_refused(gate: Gate, settings: Settings, host: str, port: int) -> bool:
    url = parse_url(f"http://{host}:{port}/")
    if not isinstance(url, NormalisedUrl):
        return True
    outcome = await gate.fetch(url, save_limits(settings))
    return isinstance(outcome, FetchFailed) and outcome.reason in FORBIDDEN


def judge(policy: EgressPolicy) -> list[str]:
    """The addresses that would be allowed: private ones named by a page, metadata services in any case."""
    inside = [host for host in INSIDE if policy.judge_socket(ip_address(host), 80, TrustLevel.ELSEWHERE) is None]
    return inside + [host for host in METADATA if policy.judge_socket(ip_address(host), 80, TrustLevel.SAVED) is None]
