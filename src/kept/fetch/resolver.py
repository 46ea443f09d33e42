"""Resolves names to addresses, by a protocol so that tests can play the DNS. The policy judges the answer."""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address
from socket import AF_INET, SOCK_STREAM
from typing import Final, Protocol

import aiodns
import pycares
from aiodns import error as dns_error

from kept.urls.host import IPAddress

# One name server's time before the next is asked; the caller's deadline bounds the whole.
SERVER_SECONDS: Final = 2.0
SERVER_TRIES: Final = 3
NO_SUCH_NAME_ERRORS: Final = frozenset({dns_error.ARES_ENOTFOUND, dns_error.ARES_ENODATA, dns_error.ARES_EBADNAME})


class DnsFailure(StrEnum):
    """Why there is no address: the name has none, or no server answered."""

    NO_SUCH_NAME = "no_such_name"
    TEMPORARY = "temporary"


Answer = tuple[IPAddress, ...] | DnsFailure


class Resolver(Protocol):
    async def resolve(self, name: str) -> Answer:
        """Return every address of the name, at least one. The caller sets the deadline, by cancelling."""


class AresResolver:
    """Resolves names by c-ares with the system's configuration; unlike `getaddrinfo` it needs no threads."""

    def __init__(self, name_servers: Sequence[str] | None = None) -> None:
        """Use `name_servers`, as `address:port`, instead of the system's if given."""
        self._name_servers = name_servers
        self._resolver: aiodns.DNSResolver | None = None

    async def resolve(self, name: str) -> Answer:
        try:
            result = await self._channel().getaddrinfo(name, type=SOCK_STREAM)
        except dns_error.DNSError as error:
            return DnsFailure.NO_SUCH_NAME if error.args[0] in NO_SUCH_NAME_ERRORS else DnsFailure.TEMPORARY
        return tuple(read_node(node) for node in result.nodes) or DnsFailure.NO_SUCH_NAME

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None

    def _channel(self) -> aiodns.DNSResolver:
        if self._resolver is None:  # made late: it belongs to the running loop
            self._resolver = aiodns.DNSResolver(
                self._name_servers,
                loop=asyncio.get_running_loop(),
                timeout=SERVER_SECONDS,
                tries=SERVER_TRIES,
            )
        return self._resolver


def read_node(node: pycares.AddrInfoNode) -> IPAddress:
    text = node.addr[0].decode("ascii")
    if node.family == AF_INET:
        return IPv4Address(text)
    scope = node.addr[3] if len(node.addr) > 3 else 0
    return IPv6Address(f"{text}%{scope}" if scope else text)
