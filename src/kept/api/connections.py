"""Limits on the connections of clients, so that none slows others down: how many may be open, in all and from one
client address; and those that uvicorn does not set: the size of a head, the time for head and body, and for reading an
answer."""

import asyncio
import resource
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, ClassVar, Final, Protocol

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

# These descriptors are left for the database, blobs, fetches and child processes.
RESERVED_DESCRIPTORS: Final = 256
MOST_CONNECTIONS: Final = 10_000
# A household or a hostile machine has at least this much of IPv6.
IPV6_CLIENT_BITS: Final = 64


class Connection(Protocol):
    @property
    def is_waiting(self) -> bool:
        """True while no request of the client is being answered."""

    def drop(self) -> None:
        """Close the connection at once."""


class OpenConnections:
    """The open connections. At a limit, the one that has waited longest for its client is closed for the new one.

    Silent connections therefore turn nobody away. Trusted proxies speak for many clients: only the limit of all
    connections counts for them.
    """

    def __init__(self, *, most: int, most_per_client: int, trusted_proxies: str) -> None:
        self._most, self._most_per_client = most, most_per_client
        self._proxies = TrustedProxies(trusted_proxies)
        self._all: dict[Connection, str] = {}
        self._by_client: dict[str, dict[Connection, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def admit(self, connection: Connection, address: str) -> bool:
        """Add the connection; return False if there is no room and no other can be closed for it."""
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
        """Move an answered connection to the end of the order in which connections are closed."""
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
    """Return the IPv4 address, or the part of an IPv6 address that a client cannot choose."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((int(parsed), IPV6_CLIENT_BITS), strict=False))
    return str(parsed or address)


def count_allowed_connections() -> int:
    """Return how many connections the limit on open files leaves room for."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(descriptors - RESERVED_DESCRIPTORS, descriptors // 2))


# --- one connection, within its limits --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    head_bytes: int = 64 * 1024
    """Browsers send 1 to 4 kB; sites on the same host name may have left long cookies."""
    headers: int = 100
    head_seconds: float = 15.0
    """Time for the whole head, from the opening of the connection or the first byte after an answer."""
    body_seconds: float = 20.0
    """Time before `body_bytes_per_second` applies."""
    body_bytes_per_second: int = 5_000
    """The average since the body began: a slow telephone line passes, a byte a second does not."""
    unread_seconds: float = 120.0
    """How long a client may take nothing of its answer."""
    linger_seconds: float = 30.0
    """Time for the rest of a body that was answered before its end."""


DEFAULT_LIMITS: Final = ConnectionLimits()


class Phase(Enum):
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()


class HeadTooLarge(Exception):
    """The head of the request has too many bytes or too many headers."""


class BoundedConnection(HttpToolsProtocol):
    """A connection that keeps to limits, which `create_connection_class` sets."""

    limits: ClassVar[ConnectionLimits]
    others: ClassVar[OpenConnections]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._phase = Phase.HEAD
        self._timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._is_head_too_large = False
        self._unused_bytes = 0
        """Bytes received since the parser last recognised something."""
        self._body_bytes = 0
        self._body_began_at = 0.0

    @property
    def is_waiting(self) -> bool:
        request = self._last_request
        return request is None or request.response_complete

    @property
    def _last_request(self) -> RequestResponseCycle | None:
        """Return the last request, or None before the first, which uvicorn's types do not allow for."""
        return self.cycle

    def drop(self) -> None:
        self.transport.abort()

    # --- the connection ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.others.admit(self, self.client[0] if self.client else ""):
            self._expect_head()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_unread_timer()
        self.others.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._phase is Phase.ANSWER:
            self._expect_head()
        self._unused_bytes += len(data)
        super().data_received(data)
        if self._unused_bytes > self.limits.head_bytes and not self.transport.is_closing():
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread_timer = self.loop.call_later(self.limits.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_unread_timer()

    # --- what the parser finds --------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._head_bytes = self._unused_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header, or a trailer after a chunked body."""
        self._unused_bytes = 0
        self._count_head(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._phase, self._unused_bytes = Phase.BODY, 0
        self._begin_body()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unused_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._phase = Phase.ANSWER
        self._stop_timer()
        super().on_message_complete()
        if self.is_waiting:  # the request was answered before its end
            self._expect_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.others.begin_waiting(self)
        if self.transport.is_closing():
            self._start_timer(self.limits.unread_seconds, self.transport.abort)
        elif self._phase is Phase.BODY and self.is_waiting:
            self._start_timer(self.limits.linger_seconds, self._close)

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def send_400_response(self, msg: str) -> None:
        too_large = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        self._refuse(too_large if self._is_head_too_large else HTTPStatus.BAD_REQUEST)

    # --- limits -----------------------------------------------------------------------------------------------------

    def _count_head(self, length: int) -> None:
        self._head_bytes += length
        if self._head_bytes > self.limits.head_bytes or len(self.headers) >= self.limits.headers:
            self._is_head_too_large = True
            raise HeadTooLarge

    def _expect_head(self) -> None:
        self._phase = Phase.HEAD
        self._start_timer(self.limits.head_seconds, self._refuse_slow_client)

    def _begin_body(self) -> None:
        self._body_bytes, self._body_began_at = 0, self.loop.time()
        self._start_timer(self.limits.body_seconds, self._check_body)

    def _check_body(self) -> None:
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:  # we are the ones who do not read
            self._begin_body()
            return
        earned_seconds = self._body_bytes / self.limits.body_bytes_per_second
        ends_at = self._body_began_at + self.limits.body_seconds + earned_seconds
        if self.loop.time() < ends_at:
            self._start_timer(ends_at - self.loop.time(), self._check_body)
        else:
            self._refuse_slow_client()

    def _refuse_slow_client(self) -> None:
        self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _refuse(self, status: HTTPStatus) -> None:
        is_silent = self._phase is Phase.HEAD and self._head_bytes == 0 and self._unused_bytes == 0
        request = self._last_request
        is_answering = request is not None and request.response_started and not request.response_complete
        if not (is_silent or is_answering):
            self.transport.write(refusal(status))
        self._close()

    def _close(self) -> None:
        """Close the connection once the client has taken what is still to be sent, or took too long."""
        self.transport.close()
        self._start_timer(self.limits.unread_seconds, self.transport.abort)

    def _start_timer(self, seconds: float, callback: Callable[[], None]) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, callback)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_unread_timer(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None


PLAIN: Final = b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n"


def refusal(status: HTTPStatus) -> bytes:
    message = status.phrase.encode()
    return b"%b%bcontent-length: %d\r\n\r\n%b" % (STATUS_LINE[status], PLAIN, len(message), message)


def create_connection_class(limits: ConnectionLimits, others: OpenConnections) -> type[BoundedConnection]:
    """Return the class that uvicorn makes connections of, with our limits in it."""
    return type("Connection", (BoundedConnection,), {"limits": limits, "others": others})
