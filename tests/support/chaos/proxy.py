"""A small reverse proxy for tests: one address, several servers behind it, as Caddy or HAProxy would do it.

Asks each for `/readyz` and sends new connections to those that are; one that cannot be connected to is passed over.
"""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

ASK_EVERY_SECONDS = 0.1


@dataclass
class Proxy:
    ports: Sequence[int]
    ready: set[int] = field(default_factory=set)
    port: int = 0

    def __post_init__(self) -> None:
        self._turns = itertools.cycle(self.ports)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def watch(self) -> None:
        """For ever."""
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:
            while True:
                await asyncio.gather(*(self._ask(session, port) for port in self.ports))
                await asyncio.sleep(ASK_EVERY_SECONDS)

    async def _ask(self, session: aiohttp.ClientSession, port: int) -> None:
        self.ready.discard(port) if not await is_ready(session, port) else self.ready.add(port)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            upstream, downstream = await self._connect()
            await asyncio.gather(pump(reader, downstream), pump(upstream, writer))
        except OSError:
            writer.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        turns = [next(self._turns) for _ in range(len(self.ports) + 1)]
        for port in sorted(turns[:-1], key=lambda port: port not in self.ready):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", port)
        raise ConnectionRefusedError("no server behind the proxy")


async def is_ready(session: aiohttp.ClientSession, port: int) -> bool:
    try:
        async with session.get(f"http://127.0.0.1:{port}/readyz") as answer:
            return answer.status == 200
    except (aiohttp.ClientError, OSError):
        return False


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


@asynccontextmanager
async def run_proxy(ports: Sequence[int]) -> AsyncIterator[Proxy]:
    proxy = Proxy(ports)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    watching = asyncio.create_task(proxy.watch())
    try:
        yield proxy
    finally:
        watching.cancel()
        server.close()
