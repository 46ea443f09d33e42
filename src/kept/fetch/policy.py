"""Which addresses may be reached: one policy for the HTTP client, the browser's proxy and the image proxy.

`judge_url` judges before any look-up, `judge_answer` everything the DNS said, and `judge_socket` the address at the
moment of connecting. The last one holds whatever happened before.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from ipaddress import IPv4Network, IPv6Network, ip_address
from socket import AF_INET, AF_INET6
from typing import Final, Self

import psutil

from kept.config import AllowedTarget, Settings
from kept.fetch.outcome import FetchFailed, FetchReason
from kept.urls.address import AddressReason, HostReason, classify_address, classify_host_name, unwrap
from kept.urls.host import IPAddress
from kept.urls.url import NormalisedUrl

# Kinds of address that KEPT_FETCH_ALLOW can open: those a server of the operator's own may have. Never the
# clouds' metadata, whatever range is given, nor addresses that stand for another one behind a translator.
ALLOWABLE: Final = frozenset(
    {
        AddressReason.PUBLIC,
        AddressReason.LOOPBACK,
        AddressReason.PRIVATE,
        AddressReason.SHARED,
        AddressReason.UNIQUE_LOCAL,
        AddressReason.OWN_ADDRESS,
        AddressReason.DOCUMENTATION,
        AddressReason.BENCHMARKING,
        AddressReason.RESERVED,
    }
)
# Addresses come and go (DHCP, IPv6 privacy, containers), but not between two connections of one page.
REFRESH_SECONDS: Final = 10.0


class OwnAddresses:
    """The addresses of this machine, read from time to time: a public server must not be made to fetch from itself."""

    def __init__(self) -> None:
        self._addresses: frozenset[IPAddress] = frozenset()
        self._stale_at = float("-inf")

    def __call__(self) -> frozenset[IPAddress]:
        if time.monotonic() >= self._stale_at:
            self._addresses = read_own_addresses()
            self._stale_at = time.monotonic() + REFRESH_SECONDS
        return self._addresses


find_own_addresses: Final = OwnAddresses()


class TrustLevel(Enum):
    """How a URL was reached: the operator's allow list counts only for the host that the saved URL names."""

    SAVED = auto()
    ELSEWHERE = auto()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal by the policy, with its reason; None stands for a permission."""

    reason: FetchReason
    blocked: AddressReason | HostReason | None = None

    def as_failure(self) -> FetchFailed:
        return FetchFailed(self.reason, blocked=self.blocked)


class EgressPolicy:
    """Decides which URLs and addresses may be reached; it uses no socket and no DNS."""

    def __init__(
        self,
        *,
        ports: Iterable[int],
        allow: Iterable[AllowedTarget] = (),
        deny: Iterable[IPv4Network | IPv6Network] = (),
        own_addresses: Callable[[], frozenset[IPAddress]] = find_own_addresses,
    ) -> None:
        self._ports = frozenset(ports)
        self._allow = tuple(allow)
        self._allowed_ports = frozenset(target.port for target in self._allow)
        self._deny = tuple(deny)
        self._own_addresses = own_addresses

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(ports=settings.fetch_ports, allow=settings.fetch_allow, deny=settings.fetch_deny)

    def judge_url(self, url: NormalisedUrl, trust_level: TrustLevel) -> Refusal | None:
        """Judge a URL before the DNS is asked. A local name or odd port passes only if the allow list may allow it."""
        if url.address is not None:
            return self.judge_socket(url.address, url.port, trust_level)
        if trust_level is TrustLevel.SAVED and url.port in self._allowed_ports:
            return None
        name = classify_host_name(url.host)
        if name is not HostReason.PUBLIC:
            return Refusal(FetchReason.FORBIDDEN_NAME, name)
        return None if url.port in self._ports else Refusal(FetchReason.FORBIDDEN_PORT)

    def judge_answer(
        self, name: str, port: int, addresses: Iterable[IPAddress], trust_level: TrustLevel
    ) -> Refusal | None:
        """Judge the addresses of a name: one that is refused condemns the name, because no honest site mixes them."""
        kind = classify_host_name(name)
        for address in addresses:
            refusal = self.judge_socket(address, port, trust_level)
            if refusal is not None:
                return refusal
            if kind is not HostReason.PUBLIC and not self._is_allowed(address, port, trust_level):
                return Refusal(FetchReason.FORBIDDEN_NAME, kind)
        return None

    def judge_socket(self, address: IPAddress, port: int, trust_level: TrustLevel) -> Refusal | None:
        if self._is_allowed(address, port, trust_level):
            return None
        kind = self._classify(address)
        if kind is not AddressReason.PUBLIC:
            return Refusal(FetchReason.FORBIDDEN_ADDRESS, kind)
        return None if port in self._ports else Refusal(FetchReason.FORBIDDEN_PORT)

    def _is_allowed(self, address: IPAddress, port: int, trust_level: TrustLevel) -> bool:
        return (
            trust_level is TrustLevel.SAVED
            and any(port == target.port and unwrap(address) in target.network for target in self._allow)
            and self._classify(address) in ALLOWABLE
        )

    def _classify(self, address: IPAddress) -> AddressReason:
        kind = classify_address(address)
        if any(unwrap(address) in network for network in self._deny):
            return AddressReason.DENIED if kind in ALLOWABLE else kind
        if kind is AddressReason.PUBLIC and unwrap(address) in self._own_addresses():
            return AddressReason.OWN_ADDRESS
        return kind


def next_trust_level(trust_level: TrustLevel, saved: NormalisedUrl, url: NormalisedUrl) -> TrustLevel:
    """Return the trust level after a redirect: it stays on the saved host, and is lost for good on another."""
    return trust_level if url.host == saved.host else TrustLevel.ELSEWHERE


def read_own_addresses() -> frozenset[IPAddress]:
    return frozenset(
        ip_address(entry.address.partition("%")[0])
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family in (AF_INET, AF_INET6)
    )
