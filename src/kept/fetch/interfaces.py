"""The addresses of this machine: a server on a public address must not be made to fetch from itself."""

import time
from ipaddress import ip_address
from socket import AF_INET, AF_INET6
from typing import Final

import psutil

from kept.urls.host import IPAddress

# Addresses come and go (DHCP, IPv6 privacy, containers), but not between two connections of one page.
REFRESH_SECONDS: Final = 10.0


class OwnAddresses:
    """Reads the interfaces, and again when what was read has grown old."""

    def __init__(self) -> None:
        self._addresses: frozenset[IPAddress] = frozenset()
        self._stale_at = float("-inf")

    def __call__(self) -> frozenset[IPAddress]:
        if time.monotonic() >= self._stale_at:
            self._addresses = read_own_addresses()
            self._stale_at = time.monotonic() + REFRESH_SECONDS
        return self._addresses


def read_own_addresses() -> frozenset[IPAddress]:
    return frozenset(
        ip_address(entry.address.partition("%")[0])
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in (AF_INET, AF_INET6)
    )


find_own_addresses: Final = OwnAddresses()
