"""The guarded HTTP client: one request, judged at the socket, read within limits. Only the gate calls it.

aiohttp gets two locks: a resolver that judges the whole answer, and a socket factory that judges each
address, literals too. Hosts named by the saved URL have a connection pool of their own, so that a connection
made with the operator's leave (KEPT_FETCH_ALLOW) is never used by a redirect that comes from elsewhere.
"""

import asyncio
import ssl
import time
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum, auto
from functools import lru_cache
from socket import AF_INET, AF_INET6, AddressFamily
from typing import Final, NamedTuple

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_reqrep import ClientRequest
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from kept.config import Settings
from kept.fetch.body import ReadBody, read_body, read_error_body, read_file, read_headers
from kept.fetch.decoding import ACCEPT_ENCODING, BadEncoding, make_decoder
from kept.fetch.dial import NEXT_ADDRESS_SECONDS, EgressStopped, SocketGuard, classify_error, look_up, send_once
from kept.fetch.limits import PAGE_ACCEPT, FetchLimits
from kept.fetch.outcome import FetchFailed, FetchReason, Hop, find_retry_after_seconds, media_type
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.fetch.resolver import Resolver
from kept.urls.address import AddressReason, HostReason, classify_address, classify_host_name
from kept.urls.url import NormalisedUrl, parse_url
from kept.version import __version__

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# aiohttp's 8 kB is too little for some sites' Content-Security-Policy; with these the worst case is 4 MB.
MAX_HEADER_BYTES: Final = 32 * 1024
MAX_HEADERS: Final = 128
KEEPALIVE_SECONDS: Final = 15.0


class Stage(Enum):
    """How far a visit has come, which tells what a time-out was waiting for."""

    QUEUED = auto()
    LOOKING_UP = auto()
    CONNECTING = auto()
    READING = auto()


TIME_OUTS: Final = {
    Stage.QUEUED: FetchReason.BUSY,
    Stage.LOOKING_UP: FetchReason.DNS_TIMED_OUT,
    Stage.CONNECTING: FetchReason.CONNECT_TIMED_OUT,
    Stage.READING: FetchReason.READ_TIMED_OUT,
}


class TimeLimit:
    """The timer of a fetch: set to its end, or sooner while something is being read."""

    def __init__(self, limits: FetchLimits) -> None:
        self._ends_at = asyncio.get_running_loop().time() + limits.total_seconds
        self._read_seconds = limits.read_seconds
        self._read_at = 0.0
        self.timer = asyncio.timeout_at(self._ends_at)

    def on_read(self) -> None:
        """Restart the read limit, at most every twentieth of it: a timer costs more than a read."""
        now = asyncio.get_running_loop().time()
        if now - self._read_at > self._read_seconds / 20:
            self._read_at = now
            self.timer.reschedule(min(self._ends_at, now + self._read_seconds * 1.05))

    def on_redirect(self) -> None:
        self._read_at = 0.0
        self.timer.reschedule(self._ends_at)


@dataclass(slots=True)
class Visit:
    """One request under way; it is written to as it proceeds."""

    url: NormalisedUrl
    trust_level: TrustLevel
    time_limit: TimeLimit
    stage: Stage = Stage.QUEUED
    address: str | None = None
    status: int | None = None
    started_at: float = field(default_factory=time.perf_counter)
    headers_at: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list, repr=False)
    """The pieces of the body that came so far."""

    def answered(self, status: int) -> None:
        self.status = status
        self.headers_at = time.perf_counter()
        self.time_limit.on_read()

    def as_hop(self) -> Hop:
        return Hop(self.url, self.address, self.status, (time.perf_counter() - self.started_at) * 1000)

    def time_out(self) -> FetchFailed:
        return self.with_partial_page(FetchFailed(TIME_OUTS[self.stage], http_status=self.status))

    def with_partial_page(self, failure: FetchFailed) -> FetchFailed:
        return replace(failure, headers=self.headers, body=b"".join(self.pieces)) if self.pieces else failure

    def end(self) -> None:
        """Release the body. A connection that stays open holds the context it was opened in, and with it the visit: 120
        saves left 22 MB for a quarter of a minute."""
        self.pieces.clear()


# This carries the visit through aiohttp to our resolver and connector, which run in the same task.
_visit: ContextVar[Visit] = ContextVar("visit")


class Answered(NamedTuple):
    """A 2xx answer."""

    status: int
    headers: dict[str, str]
    body: ReadBody


class Redirected(NamedTuple):
    """A redirect; the reference is as the site wrote it."""

    reference: str


class JudgingResolver(AbstractResolver):
    """A resolver that judges every address of a name before aiohttp connects."""

    def __init__(self, policy: EgressPolicy, resolver: Resolver, trust_level: TrustLevel) -> None:
        self._policy = policy
        self._resolver = resolver
        self._trust_level = trust_level

    async def resolve(self, host: str, port: int = 0, family: AddressFamily = AF_INET) -> list[ResolveResult]:
        visit = _visit.get()
        visit.stage = Stage.LOOKING_UP
        found = await look_up(host, port, self._trust_level, policy=self._policy, resolver=self._resolver)
        if isinstance(found, FetchFailed):
            raise EgressStopped(found)
        visit.stage = Stage.CONNECTING
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=AF_INET if address.version == 4 else AF_INET6,
                proto=0,
                flags=0,
            )
            for address in found
        ]

    async def close(self) -> None:
        """Do nothing: the gate closes the resolver behind it."""


class GuardedConnector(aiohttp.TCPConnector):
    """A connector that judges names and sockets, and notes the address each request goes to."""

    def __init__(
        self, policy: EgressPolicy, resolver: Resolver, trust_level: TrustLevel, tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(
            resolver=JudgingResolver(policy, resolver, trust_level),
            socket_factory=SocketGuard(policy, trust_level),
            use_dns_cache=False,
            happy_eyeballs_delay=NEXT_ADDRESS_SECONDS,
            # True: the authorities that the machine trusts, which aiohttp reads once, when it is imported.
            ssl=tls or True,
            limit=0,  # the gate counts by host and by user
            keepalive_timeout=KEEPALIVE_SECONDS,
        )

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:
        visit = _visit.get()
        visit.stage = Stage.CONNECTING
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        peer = transport.get_extra_info("peername") if transport is not None else None
        visit.address = peer[0] if peer else None
        visit.stage = Stage.READING
        visit.time_limit.on_read()
        return connection


class GuardedClient:
    def __init__(
        self, policy: EgressPolicy, resolver: Resolver, *, user_agent: str, tls: ssl.SSLContext | None = None
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._headers = {"User-Agent": user_agent, "Accept": PAGE_ACCEPT, "Accept-Encoding": ACCEPT_ENCODING}
        self._tls = tls
        self._sessions: dict[TrustLevel, aiohttp.ClientSession] = {}

    async def close(self) -> None:
        sessions = list(self._sessions.values())
        self._sessions.clear()
        for session in sessions:
            await session.close()

    async def get(self, visit: Visit, limits: FetchLimits) -> Answered | Redirected | FetchFailed:
        """Make one request; the caller enforces the visit's time limit."""
        token = _visit.set(visit)
        try:
            return await self._get(visit, limits)
        except BadEncoding:
            return visit.with_partial_page(FetchFailed(FetchReason.BAD_ENCODING, http_status=visit.status))
        except TimeoutError:
            return visit.time_out()
        except (aiohttp.ClientError, OSError) as error:
            return visit.with_partial_page(classify_error(error))
        finally:
            _visit.reset(token)

    async def _get(self, visit: Visit, limits: FetchLimits) -> Answered | Redirected | FetchFailed:
        response = await self._session(visit.trust_level).get(
            URL(visit.url.text, encoded=True),
            allow_redirects=False,
            headers=None if limits.accept is PAGE_ACCEPT else {"Accept": limits.accept},
            timeout=connect_within(limits.connect_seconds),
        )
        try:
            visit.answered(response.status)
            return await read_answer(response, limits, visit)
        finally:
            response.release()  # closes the connection if the body was not read to its end

    def _session(self, trust_level: TrustLevel) -> aiohttp.ClientSession:
        session = self._sessions.get(trust_level)
        if session is None:  # made late: it belongs to the running loop
            session = self._sessions[trust_level] = aiohttp.ClientSession(
                connector=GuardedConnector(self._policy, self._resolver, trust_level, self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=self._headers,
                auto_decompress=False,
                middlewares=(send_once,),
                trust_env=False,
                max_line_size=MAX_HEADER_BYTES,
                max_field_size=MAX_HEADER_BYTES,
                max_headers=MAX_HEADERS,
            )
        return session


@lru_cache
def connect_within(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, sock_connect=seconds)


async def read_answer(
    response: aiohttp.ClientResponse, limits: FetchLimits, visit: Visit
) -> Answered | Redirected | FetchFailed:
    status = response.status
    if status in REDIRECTS and (reference := response.headers.get("Location")) is not None:
        return Redirected(reference)
    headers = read_headers(response)
    if not 200 <= status < 300:
        return await read_error(response, headers)
    if not limits.accepts(media_type(headers)):
        return FetchFailed(FetchReason.UNSUPPORTED_CONTENT, http_status=status, headers=headers)
    is_file = limits.is_file(media_type(headers))
    max_bytes = (limits.max_file_bytes or 0) if is_file else limits.max_bytes
    if not limits.truncate and (response.content_length or 0) > max_bytes:
        return FetchFailed(FetchReason.TOO_LARGE, http_status=status, headers=headers)
    decoder = make_decoder(headers.get("content-encoding", ""))
    visit.headers = headers
    if is_file:
        body = await read_file(response, decoder, max_bytes, visit.time_limit.on_read)
    else:
        body = await read_body(response, decoder, max_bytes, visit.time_limit.on_read, visit.pieces)
    if body.truncated and not limits.truncate:
        return FetchFailed(FetchReason.TOO_LARGE, http_status=status, headers=headers)
    if not body.is_complete:
        return visit.with_partial_page(FetchFailed(FetchReason.INCOMPLETE, http_status=status, headers=headers))
    return Answered(status, headers, body)


async def read_error(response: aiohttp.ClientResponse, headers: dict[str, str]) -> FetchFailed:
    """Return the failure of an error status, with the beginning of its body if that can be read."""
    return FetchFailed(
        FetchReason.HTTP_STATUS,
        http_status=response.status,
        retry_after_seconds=find_retry_after_seconds(headers, datetime.now(UTC)),
        headers=headers,
        body=await read_error_body(response, headers),
    )


def user_agent(settings: Settings) -> str:
    """Return the User-Agent of every request, with a URL where a site's owner can ask who that was."""
    contact = find_contact_url(settings)
    return f"Kept/{__version__} (+{contact})" if contact else f"Kept/{__version__}"


def find_contact_url(settings: Settings) -> str | None:
    """Return the configured URL, else our own page about the bot; None where nobody outside could open that."""
    if settings.user_agent_contact_url is not None:
        return settings.user_agent_contact_url
    if settings.public_url is None or not is_public(settings.public_url):
        return None
    return f"{settings.public_url}/bot"


def is_public(url: str) -> bool:
    """Return whether others can reach the host: it is no address or name of a private network."""
    parsed = parse_url(url)
    if not isinstance(parsed, NormalisedUrl):
        return False
    if parsed.address is not None:
        return classify_address(parsed.address) is AddressReason.PUBLIC
    return "." in parsed.host and classify_host_name(parsed.host) is HostReason.PUBLIC
