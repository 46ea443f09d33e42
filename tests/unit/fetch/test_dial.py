"""Dialling: judged names are connected to, the rest ends as a value with its reason."""

import asyncio
import socket
from collections.abc import AsyncIterator
from ipaddress import ip_address

import pytest

from kept.config import parse_allowed_target
from kept.fetch.dial import Dialled, SocketGuard, address_info, connect, dial
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.fetch.resolver import Answer, DnsFailure
from kept.urls.address import AddressReason
from kept.urls.url import get_url


class ScriptedDns:
    """Answers each name from a list, the last answer again and again."""

    def __init__(self, **answers: list[Answer]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def resolve(self, name: str) -> Answer:
        self.asked.append(name)
        script = self.answers[name.partition(".")[0]]
        return script.pop(0) if len(script) > 1 else script[0]


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def allowing(*targets: str) -> EgressPolicy:
    return EgressPolicy(ports={80, 443}, allow=[parse_allowed_target(text) for text in targets])


async def reach(
    url: str, dns: ScriptedDns, policy: EgressPolicy, trust_level: TrustLevel = TrustLevel.SAVED
) -> Dialled | FetchFailed:
    return await dial(get_url(url), trust_level, policy=policy, resolver=dns, connect_seconds=5)


async def test_a_name_is_resolved_judged_and_connected_to(port: int) -> None:
    dns = ScriptedDns(nas=[(ip_address("127.0.0.1"),)])
    dialled = await reach(f"http://nas:{port}/", dns, allowing(f"127.0.0.1/32:{port}"))
    assert isinstance(dialled, Dialled)
    assert dialled.address == "127.0.0.1"
    assert await dialled.reader.read() == b"hello"
    dialled.writer.close()


async def test_a_literal_needs_no_dns(port: int) -> None:
    dialled = await reach(f"http://127.0.0.1:{port}/", ScriptedDns(), allowing(f"127.0.0.1/32:{port}"))
    assert isinstance(dialled, Dialled)
    dialled.writer.close()


async def test_what_is_not_named_by_the_saved_url_is_refused(port: int) -> None:
    failed = await reach(
        f"http://127.0.0.1:{port}/", ScriptedDns(), allowing(f"127.0.0.1/32:{port}"), TrustLevel.ELSEWHERE
    )
    assert isinstance(failed, FetchFailed)
    assert (failed.reason, failed.blocked) == (FetchReason.FORBIDDEN_ADDRESS, AddressReason.LOOPBACK)


async def test_a_local_name_is_not_even_looked_up() -> None:
    dns = ScriptedDns()
    failed = await reach("http://router.local/", dns, allowing())
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.FORBIDDEN_NAME
    assert dns.asked == []


@pytest.mark.parametrize(
    ("answer", "reason", "transient"),
    [
        (DnsFailure.NO_SUCH_NAME, FetchReason.NO_SUCH_NAME, False),
        (DnsFailure.TEMPORARY, FetchReason.DNS_FAILED, True),
        ((ip_address("10.0.0.1"),), FetchReason.FORBIDDEN_ADDRESS, False),
        ((ip_address("93.184.216.34"), ip_address("::1")), FetchReason.FORBIDDEN_ADDRESS, False),
    ],
)
async def test_a_dns_failure_is_not_a_blocked_address_nor_the_reverse(
    answer: Answer, reason: FetchReason, transient: bool
) -> None:
    failed = await reach("http://site.example/", ScriptedDns(site=[answer]), allowing())
    assert isinstance(failed, FetchFailed)
    assert (failed.reason, failed.is_transient) == (reason, transient)


async def test_a_slow_dns_ends_at_the_deadline_with_its_own_reason() -> None:
    class SlowDns:
        async def resolve(self, name: str) -> Answer:
            await asyncio.Event().wait()
            raise AssertionError

    failed = await dial(
        get_url("http://slow.example/"),
        TrustLevel.SAVED,
        policy=allowing(),
        resolver=SlowDns(),
        connect_seconds=0.05,
    )
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.DNS_TIMED_OUT


async def test_a_closed_port_is_refused() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        failed = await reach(f"http://127.0.0.1:{port}/", ScriptedDns(), allowing(f"127.0.0.1/32:{port}"))
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.REFUSED


async def test_the_socket_is_judged_whatever_was_said_before(port: int) -> None:
    guard = SocketGuard(allowing(f"127.0.0.1/32:{port}"), TrustLevel.ELSEWHERE)
    with pytest.raises(OSError, match="egress gate"):
        await connect((ip_address("127.0.0.1"),), port, guard)
    with pytest.raises(OSError, match="egress gate"):
        guard(address_info(ip_address("::ffff:127.0.0.1"), port))
