"""Which `Host` a request may name. Links are made with it, and anybody can send any: a foreign one is replaced."""

import re
from ipaddress import IPv4Network
from typing import Final
from urllib.parse import urlsplit

from starlette.types import Scope

from kept.api.open_connections import parse_address
from kept.config import Settings

HOST: Final = re.compile(rb"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
# Names that exist only inside somebody's own network.
PRIVATE_SUFFIXES: Final = (
    *(".localhost", ".local", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".localdomain", ".private"),
)
# Of carriers, and of private networks such as Tailscale's.
SHARED_ADDRESSES: Final = IPv4Network("100.64.0.0/10")


class AllowedHosts:
    """Loopback and private names and addresses, the host of `KEPT_PUBLIC_URL`, and `KEPT_ALLOWED_HOSTS`."""

    def __init__(self, settings: Settings) -> None:
        self._public = urlsplit(settings.public_url).netloc.encode() if settings.public_url else None
        public_name = urlsplit(settings.public_url or "").hostname
        self._names = {name for name in (public_name, *settings.allowed_hosts) if name}

    def choose(self, host: bytes, scope: Scope) -> bytes:
        """The host that links are made with: the one the request names, if it may."""
        return host if self.allows(host) else self._public or own_address(scope)

    def allows(self, host: bytes) -> bool:
        found = HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].decode().strip("[]").lower().removesuffix(".")
        return name in self._names or "*" in self._names or is_private(name)


def is_private(name: str) -> bool:
    address = parse_address(name)
    if address is not None:
        is_shared = address.version == 4 and address in SHARED_ADDRESSES
        return address.is_private or address.is_loopback or address.is_link_local or is_shared
    return "." not in name or name.endswith(PRIVATE_SUFFIXES)


def own_address(scope: Scope) -> bytes:
    """Where the connection came in."""
    host, port = scope.get("server") or ("localhost", None)
    shown = f"[{host}]" if ":" in host else host
    return (f"{shown}:{port}" if port else shown).encode()
