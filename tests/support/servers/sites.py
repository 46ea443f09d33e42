"""Sites on loopback that misbehave, and a DNS that says what a test wants. For tests of everything that fetches."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address

from kept.config import parse_allowed_target
from kept.fetch.gate import Gate
from kept.fetch.limits import FetchLimits
from kept.fetch.policy import EgressPolicy
from kept.fetch.resolver import Answer, DnsFailure, Resolver

LIMITS = FetchLimits(total_seconds=20, connect_seconds=10, read_seconds=10, max_bytes=10 * 1024 * 1024)
PORTS = frozenset({80, 443, 8000, 8080, 8443})


class FakeDns:
    """A zone of names and their addresses. A name may answer differently each time it is asked, over and over."""

    def __init__(
        self,
        zone: Mapping[str, Sequence[str]] | None = None,
        turns: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> None:
        self.turns = {name: [addresses] for name, addresses in (zone or {}).items()} | dict(turns or {})
        self.asked: list[str] = []

    async def resolve(self, name: str) -> Answer:
        turn = self.asked.count(name)
        self.asked.append(name)
        answers = self.turns.get(name)
        if not answers:
            return DnsFailure.NO_SUCH_NAME
        return tuple(ip_address(text) for text in answers[turn % len(answers)])


class SilentDns:
    """A name server that takes the question and never answers."""

    async def resolve(self, name: str) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError


@dataclass(frozen=True)
class Request:
    target: str
    headers: dict[str, str]


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Site:
    """A running server; it counts what reaches it."""

    handler: Handler
    address: str
    port: int = 0
    connections: int = 0
    requests: list[Request] = field(default_factory=list)
    answering: int = 0
    most_answering: int = 0

    def url(self, path: str = "/", host: str | None = None, scheme: str = "http") -> str:
        return f"{scheme}://{host or self.address}:{self.port}{path}"

    @property
    def allowed(self) -> str:
        """As an entry of KEPT_FETCH_ALLOW."""
        return f"{self.address}/32:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while not writer.is_closing():
                await self.answer(read_request(await reader.readuntil(b"\r\n\r\n")), writer)
        writer.close()

    async def answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        self.requests.append(request)
        self.answering += 1
        self.most_answering = max(self.most_answering, self.answering)
        try:
            await self.handler(request, writer)
            await writer.drain()
        finally:
            self.answering -= 1


def read_request(head: bytes) -> Request:
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines if ": " in line)
    return Request(first.split(" ")[1], {name.lower(): value for name, value in pairs})


def page(body: bytes = b"<title>hello</title>", status: str = "200 OK", **headers: str) -> bytes:
    """An answer as bytes; header names with underscores for dashes."""
    fields = {"Content_Length": str(len(body)), "Content_Type": "text/html"} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    return page(b"", status, Location=location)


def pages(answers: Mapping[str, bytes]) -> Handler:
    """Answers by path, anything else with 404."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(answers.get(request.target.partition("?")[0], page(b"", "404 Not Found")))

    return answer


@contextlib.asynccontextmanager
async def run_site(
    handler: Handler, address: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> AsyncIterator[Site]:
    site = Site(handler, address)
    serving: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(site.serve(reader, writer))
        serving.add(task)
        task.add_done_callback(serving.discard)

    server = await asyncio.start_server(accept, address, 0, ssl=tls)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


@cache
def default_tls() -> ssl.SSLContext:
    """Reading the system's certificates takes 20 ms, which hundreds of gates would feel."""
    return ssl.create_default_context()


def make_gate(
    *allow: str,
    dns: Resolver | None = None,
    ports: Iterable[int] = PORTS,
    per_host: int = 4,
    per_user: int = 8,
    tls: ssl.SSLContext | None = None,
    policy: EgressPolicy | None = None,
) -> Gate:
    """To be used as a context manager. `allow` is as in KEPT_FETCH_ALLOW."""
    return Gate(
        policy or EgressPolicy(ports=ports, allow=[parse_allowed_target(text) for text in allow]),
        dns or FakeDns(),
        user_agent="Kept/test (+https://kept.example/bot)",
        per_host=per_host,
        per_user=per_user,
        tls=tls or default_tls(),
    )
