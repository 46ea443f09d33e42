"""The open connections of a server: how many there may be, in all and from one client address, and who makes room."""

import resource
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Protocol

# Descriptors left for the database, blobs, fetches and child processes.
RESERVED_DESCRIPTORS: Final = 256
MOST_CONNECTIONS: Final = 10_000
# A household or a hostile machine has at least this much of IPv6.
IPV6_CLIENT_BITS: Final = 64


class Connection(Protocol):
    @property
    def is_waiting(self) -> bool:
        """For the client: no request of it is being answered."""

    def drop(self) -> None:
        """Close at once."""


class OpenConnections:
    """Where a limit is reached, the connection that has waited longest for its client is closed for the new one.

    So nobody is turned away because of silent connections. Trusted proxies speak for many clients: only the limit of
    all connections counts for them.
    """

    def __init__(self, *, most: int, most_per_client: int, trusted_proxies: str) -> None:
        self._most, self._most_per_client = most, most_per_client
        self._proxies = TrustedProxies(trusted_proxies)
        self._all: dict[Connection, str] = {}
        self._by_client: dict[str, dict[Connection, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def admit(self, connection: Connection, address: str) -> bool:
        """False if there is no room and nobody can be closed for it."""
        client = name_client(address)
        own = self._by_client.get(client, {})
        if address not in self._proxies and len(own) >= self._most_per_client and not self._drop_one(own):
            return False
        if len(self._all) >= self._most and not self._drop_one(self._all):
            return False
        self._all[connection] = client
        self._by_client.setdefault(client, {})[connection] = None
        return True

    def remove(self, connection: Connection) -> None:
        client = self._all.pop(connection, None)
        if client is None:
            return
        del self._by_client[client][connection]
        if not self._by_client[client]:
            del self._by_client[client]

    def begin_waiting(self, connection: Connection) -> None:
        """It has been answered: it is now the one that has waited for the shortest time."""
        client = self._all.pop(connection, None)
        if client is not None:
            self._all[connection] = client
            del self._by_client[client][connection]
            self._by_client[client][connection] = None

    def _drop_one(self, connections: Iterable[Connection]) -> bool:
        found = next((connection for connection in connections if connection.is_waiting), None)
        if found is None:
            return False
        self.remove(found)
        found.drop()
        return True


class TrustedProxies:
    """The addresses and networks of `KEPT_TRUSTED_PROXIES`; `*` is everybody."""

    def __init__(self, text: str) -> None:
        entries = [entry.strip() for entry in text.split(",")]
        self._is_everybody = "*" in entries
        self._networks = [network for entry in entries if (network := parse_network(entry)) is not None]

    def __contains__(self, address: str) -> bool:
        parsed = parse_address(address)
        return self._is_everybody or (parsed is not None and any(parsed in network for network in self._networks))


def parse_network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text)
    except ValueError:
        return None


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address


def name_client(address: str) -> str:
    """The IPv4 address, or the part of an IPv6 address that one client does not choose freely."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((int(parsed), IPV6_CLIENT_BITS), strict=False))
    return str(parsed or address)


def count_allowed_connections() -> int:
    """As many as the limit on open files leaves room for."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(descriptors - RESERVED_DESCRIPTORS, descriptors // 2))
