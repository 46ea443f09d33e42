"""The browser's way out: a forward proxy on loopback that asks the gate's policy about every connection.

Only the browser pool starts one. Each visit has credentials of its own, so that no other program on this
machine (and no left-over of an earlier visit) can use the proxy, and each connection counts where it belongs.
"""

import asyncio
import contextlib
import hmac
import secrets
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Final

from kept.fetch import proxy_heads
from kept.fetch.dial import Dialled, dial
from kept.fetch.outcome import FORBIDDEN, FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.fetch.proxy_heads import RequestHead, ResponseHead
from kept.fetch.resolver import Resolver
from kept.metrics import EGRESS
from kept.urls.url import NormalisedUrl, join_url

MIB: Final = 1024 * 1024
CHUNK_BYTES: Final = 64 * 1024
# Chromium's longest request: a URL of some kilobytes and a dozen headers. Sites' heads get the same.
MAX_HEAD_BYTES: Final = 64 * 1024

ASK_FOR_CREDENTIALS: Final = (
    b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="kept"\r\n'
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
TUNNEL_OPEN: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
TUNNEL_REFUSED: Final = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
BAD_REQUEST: Final = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """The limits of one visit. Chromium itself keeps at most 32 connections to a proxy open at once."""

    visit_bytes: int = 64 * MIB
    visit_connections: int = 1000
    open_connections: int = 256
    head_seconds: float = 10.0
    connect_seconds: float = 10.0
    idle_seconds: float = 15.0


DEFAULT_LIMITS: Final = ProxyLimits()


@dataclass
class ProxyVisit:
    """The traffic of one page: its credentials for the proxy, its cost and its refusals."""

    saved: NormalisedUrl
    limits: ProxyLimits
    username: str = field(default_factory=lambda: secrets.token_hex(8))
    password: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    bytes_relayed: int = 0
    connections: int = 0
    left_saved_host: bool = False
    refusals: Counter[str] = field(default_factory=Counter)
    """The number of refusals by the policy, by the label the metrics use."""
    failures: dict[tuple[str, int], FetchFailed] = field(default_factory=dict)
    """Why the last connection to a host and port failed."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def trust_level_of(self, url: NormalisedUrl) -> TrustLevel:
        """Return the trust level: the allow list counts for the saved URL's host, until the page has left it."""
        is_saved = url.host == self.saved.host and not self.left_saved_host
        return TrustLevel.SAVED if is_saved else TrustLevel.ELSEWHERE

    def note_failure(self, url: NormalisedUrl, failure: FetchFailed) -> None:
        self.failures[url.host, url.port] = failure
        if failure.reason in FORBIDDEN:
            self.refusals[failure.label] += 1
            EGRESS.labels("failed", failure.label).inc()

    def note_redirect(self, request: RequestHead, response: ResponseHead) -> None:
        """Note a navigation that leads elsewhere, after which the allow list no longer counts."""
        target = response.redirect_target
        if target is None or request.find(b"upgrade-insecure-requests") is None:
            return
        url = join_url(request.url, target.decode("latin-1"))
        if not isinstance(url, NormalisedUrl) or url.host != self.saved.host:
            self.left_saved_host = True

    @property
    def is_spent(self) -> bool:
        return self.bytes_relayed > self.limits.visit_bytes or self.connections > self.limits.visit_connections

    async def run_until_cut(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    def cut(self) -> None:
        for task in self.tasks:
            task.cancel()


class BrowserProxy:
    """The proxy, bound to loopback on a port of the system's choice from `start` to `close`."""

    def __init__(self, *, policy: EgressPolicy, resolver: Resolver, limits: ProxyLimits | None = None) -> None:
        self._policy = policy
        self._resolver = resolver
        self._limits = limits or DEFAULT_LIMITS
        self._visits: dict[str, ProxyVisit] = {}
        self._server: asyncio.Server | None = None
        self._open = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)

    async def close(self) -> None:
        for visit in self._visits.values():
            visit.cut()
        if self._server is not None:
            self._server.close()
            self._server = None

    @property
    def address(self) -> str:
        assert self._server is not None, "the proxy was not started"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @contextlib.contextmanager
    def visit(self, saved: NormalisedUrl, *, left_saved_host: bool = False) -> Iterator[ProxyVisit]:
        """Let one page use the proxy; when the block ends its connections are cut and its credentials expire."""
        visit = ProxyVisit(saved, self._limits, left_saved_host=left_saved_host)
        self._visits[visit.username] = visit
        try:
            yield visit
        finally:
            del self._visits[visit.username]
            visit.cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= self._limits.open_connections:
                await self._answer(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # either end went away, or was too slow or too wordy: there is nobody to tell
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._limits.head_seconds):
            head = proxy_heads.parse_request(await reader.readuntil(b"\r\n\r\n"))
        if head is None:
            return await say(writer, BAD_REQUEST)
        visit = self._find_visit(head)
        if visit is None:
            return await say(writer, ASK_FOR_CREDENTIALS)
        await visit.run_until_cut(self._forward(visit, head, reader, writer))
        return None

    def _find_visit(self, head: RequestHead) -> ProxyVisit | None:
        username, password = head.credentials or ("", "")
        visit = self._visits.get(username)
        if visit is None or not hmac.compare_digest(visit.password.encode(), password.encode()):
            return None
        return visit

    async def _forward(
        self,
        visit: ProxyVisit,
        head: RequestHead,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        dialled = await self._dial(visit, head.url)
        if isinstance(dialled, FetchFailed):
            visit.note_failure(head.url, dialled)
            # A refused tunnel may say so. A refused page may not: our answer would pass for the site's.
            return await say(writer, TUNNEL_REFUSED if head.path is None else b"")
        visit.failures.pop((head.url.host, head.url.port), None)
        exchange = Exchange(visit, head, reader, writer, dialled)
        try:
            await (exchange.tunnel() if head.path is None else exchange.request())
        finally:
            dialled.writer.close()

    async def _dial(self, visit: ProxyVisit, url: NormalisedUrl) -> Dialled | FetchFailed:
        visit.connections += 1
        if visit.is_spent:
            return FetchFailed(FetchReason.TOO_LARGE)
        return await dial(
            url,
            visit.trust_level_of(url),
            policy=self._policy,
            resolver=self._resolver,
            connect_seconds=self._limits.connect_seconds,
        )


@dataclass(frozen=True, slots=True)
class Exchange:
    """A connection of the browser's, joined to one of a site's."""

    visit: ProxyVisit
    head: RequestHead
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    site: Dialled

    async def tunnel(self) -> None:
        await say(self.writer, TUNNEL_OPEN)
        await run_until_either_ends(self.pump(self.reader, self.site.writer), self.pump_down())

    async def request(self) -> None:
        length = self.head.body_length
        if length is None:
            return await say(self.writer, BAD_REQUEST)
        try:
            await say(self.site.writer, proxy_heads.rewrite_request(self.head))
            await self.send_body(length)
            reason = await self.pass_response_head()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            reason = name_response_fault(error)
        if reason is None:
            await run_until_either_ends(self.pump_down(), self.wait_for_the_browser_to_hang_up())
        else:
            self.visit.note_failure(self.head.url, FetchFailed(reason))
        return None

    async def send_body(self, length: int) -> None:
        while length > 0:
            data = await self.reader.read(min(length, CHUNK_BYTES))
            if not data:
                raise ConnectionResetError
            length -= len(data)
            self.spend(len(data))
            await say(self.site.writer, data)

    async def pass_response_head(self) -> FetchReason | None:
        while True:
            async with asyncio.timeout(self.visit.limits.idle_seconds):
                raw = await self.site.reader.readuntil(b"\r\n\r\n")
            response = proxy_heads.parse_response(raw)
            if response is None or response.status == 101:
                return FetchReason.BAD_RESPONSE
            self.visit.note_redirect(self.head, response)
            await say(self.writer, proxy_heads.rewrite_response(response))
            if not response.is_interim:
                return None

    async def wait_for_the_browser_to_hang_up(self) -> None:
        await self.reader.read(1)

    async def pump_down(self) -> None:
        """Copy from the site to the browser, until either ends or nothing has come for too long."""
        await self.pump(self.site.reader, self.writer, self.visit.limits.idle_seconds)

    async def pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, idle_seconds: float | None = None
    ) -> None:
        while True:
            async with asyncio.timeout(idle_seconds):
                data = await source.read(CHUNK_BYTES)
            if not data:
                return
            self.spend(len(data))
            await say(sink, data)

    def spend(self, count: int) -> None:
        """Count bytes; raise as soon as the visit used its share, because cutting alone lets buffered bytes pass."""
        self.visit.bytes_relayed += count
        if self.visit.is_spent:
            self.visit.note_failure(self.head.url, FetchFailed(FetchReason.TOO_LARGE))
            self.visit.cut()
            raise ConnectionAbortedError


async def run_until_either_ends(*halves: Coroutine[None, None, None]) -> None:
    tasks = [asyncio.ensure_future(half) for half in halves]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def name_response_fault(error: Exception) -> FetchReason:
    match error:
        case TimeoutError():
            return FetchReason.READ_TIMED_OUT
        case asyncio.LimitOverrunError():
            return FetchReason.HEADERS_TOO_LARGE
        case _:
            return FetchReason.RESET


async def say(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()
