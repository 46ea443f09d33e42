"""Checks of how Kept fetches from the web: the egress gate, what sites are told about who fetches, and the site rules.

The gate must not reach the private network. These checks send nothing off the machine.
"""

import asyncio
from ipaddress import ip_address
from typing import Final

from kept.cli.checks.finding import Finding
from kept.config import Settings
from kept.fetch.client import find_contact_url, user_agent
from kept.fetch.gate import Gate
from kept.fetch.limits import save_limits
from kept.fetch.outcome import FORBIDDEN, FetchFailed
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.urls.url import NormalisedUrl, parse_url
from kept.wiring.stores import create_site_rules

# Spellings of the loopback address that some URL parsers take for a public host.
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
# Private addresses that a page may name; they are checked against the policy, not connected to.
INSIDE: Final = ("10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "fd00::1", "fe80::1", "169.254.1.1")
# Cloud metadata services: no allow list opens these.
METADATA: Final = ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254")
ADVICE: Final = "Do not let anybody save links until this is fixed, and please report it."
CONTACT_ADVICE: Final = "Set KEPT_USER_AGENT_CONTACT_URL to a page about you, or to mailto:you@example.org."
NAMED_RULES: Final = 20


async def check_egress(settings: Settings) -> Finding:
    """Check that no connection through the gate reaches a listener on loopback."""
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
    """Return the addresses that would be allowed: private ones named by a page, metadata services in any case."""
    inside = [host for host in INSIDE if policy.judge_socket(ip_address(host), 80, TrustLevel.ELSEWHERE) is None]
    return inside + [host for host in METADATA if policy.judge_socket(ip_address(host), 80, TrustLevel.SAVED) is None]


async def check_contact(settings: Settings) -> Finding:
    sent = f"sites are told “{user_agent(settings)}”"
    if settings.user_agent_contact_url is not None:
        return Finding("contact", "ok", sent)
    if find_contact_url(settings) is not None:
        return Finding(
            "contact",
            "limited",
            f"{sent}: a page that names nobody to write to",
            f"{CONTACT_ADVICE} The page names it.",
        )
    return Finding("contact", "limited", f"{sent}: their owners cannot reach you", CONTACT_ADVICE)


async def check_site_rules(settings: Settings) -> Finding:
    folder = settings.site_rules_folder
    if settings.site_rules is not None and not folder.is_dir():
        return Finding("site-rules", "limited", f"there is no folder {folder}", "Make it, or unset KEPT_SITE_RULES.")
    read = create_site_rules(folder).read()
    named = [f"{rule.file} ({', '.join(rule.hosts)})" for rule in read.rules[:NAMED_RULES]]
    more = len(read.rules) - len(named)
    listed = ", ".join([*named, f"{more} more"] if more else named) or f"none in {folder}"
    if read.faults:
        advice = "See docs/site-rules.md; `kept extract --rules FILE URL` tries a rule."
        return Finding("site-rules", "limited", "; ".join([*read.faults[:NAMED_RULES], f"in use: {listed}"]), advice)
    return Finding("site-rules", "ok", listed)
