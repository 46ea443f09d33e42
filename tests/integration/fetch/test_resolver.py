"""The real resolver against a name server on loopback: what it takes for an answer, and for none."""

import asyncio
import struct
from collections.abc import AsyncIterator
from ipaddress import ip_address
from typing import cast

import pytest

from kept.fetch.resolver import AresResolver, DnsFailure

A, AAAA = 1, 28
NXDOMAIN, SERVFAIL = 3, 2
ZONE = {
    ("two.example", A): ["93.184.216.34", "10.0.0.1"],
    ("two.example", AAAA): ["2606:4700::1"],
    ("v6.example", AAAA): ["2606:4700::2"],
}


class NameServer(asyncio.DatagramProtocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, kind, question = read_question(data)
        if name == "broken.example":
            self.transport.sendto(answer(data[:2], SERVFAIL, question, []), addr)
        elif any(known == name for known, _ in ZONE):
            self.transport.sendto(answer(data[:2], 0, question, ZONE.get((name, kind), [])), addr)
        else:
            self.transport.sendto(answer(data[:2], NXDOMAIN, question, []), addr)


def read_question(data: bytes) -> tuple[str, int, bytes]:
    labels, position = [], 12
    while length := data[position]:
        labels.append(data[position + 1 : position + 1 + length].decode())
        position += length + 1
    return ".".join(labels).lower(), int.from_bytes(data[position + 1 : position + 3]), data[12 : position + 5]


def answer(identity: bytes, code: int, question: bytes, addresses: list[str]) -> bytes:
    head = identity + struct.pack("!HHHHH", 0x8180 | code, 1, len(addresses), 0, 0)
    records = b"".join(record(ip_address(text).packed) for text in addresses)
    return head + question + records


def record(address: bytes) -> bytes:
    kind = A if len(address) == 4 else AAAA
    return struct.pack("!HHHIH", 0xC00C, kind, 1, 60, len(address)) + address


@pytest.fixture
async def resolver() -> AsyncIterator[AresResolver]:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0))
    resolver = AresResolver([f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"])
    yield resolver
    await resolver.close()
    transport.close()


async def test_every_address_of_both_families_is_answered(resolver: AresResolver) -> None:
    answer = await resolver.resolve("two.example")
    assert not isinstance(answer, DnsFailure)
    assert {str(address) for address in answer} == {"93.184.216.34", "10.0.0.1", "2606:4700::1"}
    assert await resolver.resolve("v6.example") == (ip_address("2606:4700::2"),)


async def test_a_name_that_does_not_exist_is_told_from_a_name_server_that_fails(resolver: AresResolver) -> None:
    assert await resolver.resolve("missing.example") is DnsFailure.NO_SUCH_NAME
    assert await resolver.resolve("broken.example") is DnsFailure.TEMPORARY


async def test_a_name_no_name_server_would_be_asked_for_does_not_exist(resolver: AresResolver) -> None:
    assert await resolver.resolve(f"{'a' * 64}.example") is DnsFailure.NO_SUCH_NAME


async def test_the_hosts_file_is_read_as_the_system_would() -> None:
    resolver = AresResolver(["127.0.0.1:9"])
    answer = await resolver.resolve("localhost")
    await resolver.close()
    assert not isinstance(answer, DnsFailure)
    assert all(address.is_loopback for address in answer)


async def test_closing_with_a_question_open_ends_it(resolver: AresResolver) -> None:
    silent = AresResolver(["127.0.0.1:9"])
    question = asyncio.create_task(silent.resolve("slow.example"))
    await asyncio.sleep(0)
    await silent.close()
    assert await asyncio.wait_for(question, 30) is DnsFailure.TEMPORARY
