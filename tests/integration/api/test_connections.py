"""Clients that send too much, too slowly or nothing: each is refused, and nobody else notices."""

import asyncio
import contextlib
import resource
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import aiohttp
import pytest
from fastapi.responses import StreamingResponse

from kept.api.access import Public
from kept.api.connections import ConnectionLimits
from kept.config import Limits, Settings
from support.fixtures.waiting import until
from support.servers.commands import KEPT, environment
from support.servers.local_servers import free_port
from support.servers.serving import RunningKept, run_kept

pytestmark = pytest.mark.requirement(
    "Kept", "clients that send too much, too slowly or nothing cost nobody else anything"
)

HEAD: Final = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
UPLOAD: Final = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\n"
HASTY: Final = ConnectionLimits(head_seconds=0.5, body_seconds=0.5, body_bytes_per_second=1_000, linger_seconds=0.5)


class Client:
    """A connection on which any bytes can be sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def read_all(self) -> bytes:
        """What the server says until it closes; TimeoutError if it does not."""
        async with asyncio.timeout(20):
            with contextlib.suppress(ConnectionError):
                return await self.reader.read()
        return b""

    async def ask_healthz(self) -> bytes:
        await self.send(HEAD + b"\r\n")
        async with asyncio.timeout(20):
            return await self.reader.readline()


@contextlib.asynccontextmanager
async def connect(running: RunningKept, address: str = "127.0.0.1") -> AsyncIterator[Client]:
    port = int(running.address.rpartition(":")[2])
    client = Client(*await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0)))
    try:
        yield client
    finally:
        client.writer.close()


@pytest.fixture
async def hasty(sqlite_url: str, tmp_path: Path) -> AsyncIterator[RunningKept]:
    """A Kept whose patience ends after half a second."""
    async with run_kept(Settings(database_url=sqlite_url, data_dir=tmp_path), HASTY) as running:
        yield running


# --- too much -------------------------------------------------------------------------------------------------------


async def send_until_closed(client: Client, piece: bytes, *, at_most: int) -> int:
    """How much of it was taken before the connection was closed."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < at_most and not client.reader.at_eof() and not client.writer.is_closing():
            await client.send(piece)
            sent += len(piece)
    return sent


@pytest.mark.parametrize(
    ("beginning", "piece"),
    [
        (HEAD, b"x: y\r\n" * 1000),
        (HEAD + b"x: ", b"y" * 10_000),
        (HEAD, b"y" * 10_000),
        (b"GET /", b"y" * 10_000),
        (UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n" * 1000),
        (UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nx: ", b"y" * 10_000),
        (UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"y" * 10_000),
    ],
    ids=["headers", "header value", "header name", "url", "trailers", "trailer value", "chunk extension"],
)
async def test_an_endless_head_is_refused_before_it_takes_memory(
    running: RunningKept, beginning: bytes, piece: bytes
) -> None:
    async with connect(running) as client:
        await client.send(beginning)
        sent = await send_until_closed(client, piece, at_most=50_000_000)
        assert sent < 40_000_000  # what lies in the buffers of two sockets
    assert (await running.nobody.get("/healthz")).status == 200


async def test_a_head_with_too_many_headers_is_told_so(running: RunningKept) -> None:
    async with connect(running) as client:
        await client.send(HEAD + b"x: y\r\n" * 200 + b"\r\n")
        assert (await client.read_all()).startswith(b"HTTP/1.1 431 ")
    async with connect(running) as client:
        assert await client.ask_healthz() == b"HTTP/1.1 200 OK\r\n"


async def test_a_large_head_within_the_limits_passes(running: RunningKept) -> None:
    cookies = "; ".join(f"of_another_site_{number}={'x' * 1000}" for number in range(50))
    assert (await running.nobody.get("/healthz", Cookie=cookies)).status == 200


async def test_a_cookie_of_the_worst_characters_takes_no_time(running: RunningKept) -> None:
    """60 kB took Python's own reader 6 s, in which nobody else was answered."""
    worst = 'x="' + "\\a" * 30_000 + '"'
    started = time.process_time()
    assert (await running.nobody.get("/setup", Cookie=worst)).status == 200
    assert time.process_time() - started < 2


# --- too slowly -----------------------------------------------------------------------------------------------------


async def test_a_silent_connection_is_closed(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        assert await client.read_all() == b""


async def test_a_head_sent_byte_by_byte_is_refused_when_its_time_is_up(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        await client.send(HEAD)
        reading = asyncio.create_task(client.read_all())
        with contextlib.suppress(ConnectionError):
            while not reading.done():
                await client.send(b"x")
                await asyncio.sleep(0.05)
        assert b" 200 " not in await reading  # it ended; the answer may be lost where the client goes on to send


async def test_a_head_that_stops_is_told_that_it_took_too_long(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        await client.send(HEAD)
        assert (await client.read_all()).startswith(b"HTTP/1.1 408 ")


async def test_a_client_that_sends_only_line_ends_after_an_answer_is_closed(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        assert await client.ask_healthz() == b"HTTP/1.1 200 OK\r\n"
        reading = asyncio.create_task(client.read_all())
        with contextlib.suppress(ConnectionError):
            while not reading.done():
                await client.send(b"\r\n")
                await asyncio.sleep(0.05)
        await reading


async def test_a_body_that_stops_is_refused(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        await client.send(UPLOAD + b"Sec-Fetch-Site: same-origin\r\nContent-Length: 1000\r\n")
        await client.send(b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname=ann")
        assert (await client.read_all()).startswith(b"HTTP/1.1 408 ")


async def test_a_body_that_goes_on_after_its_answer_is_cut_off(hasty: RunningKept) -> None:
    async with connect(hasty) as client:
        await client.send(b"POST /api/v1/imports HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        assert await client.reader.readline() == b"HTTP/1.1 401 Unauthorized\r\n"
        reading = asyncio.create_task(client.read_all())
        with contextlib.suppress(ConnectionError):
            while not reading.done():
                await client.send(b"40\r\n" + b"x" * 64 + b"\r\n")
                await asyncio.sleep(0.02)
        await reading


async def test_an_upload_at_a_sensible_rate_passes_however_long_it_takes(hasty: RunningKept) -> None:
    ann = await hasty.make_person("ann")

    async def slow_file() -> AsyncIterator[bytes]:
        for number in range(60):  # 4 kB/s for 1.5 s, three times what a silent body gets
            yield f"https://example.org/{number:079}\n".encode()
            await asyncio.sleep(0.025)

    headers = {"Content-Type": "application/octet-stream"}
    answer = await ann.send("/api/v1/imports?dry_run=true", slow_file(), **headers)
    assert answer.status == 202


async def test_a_client_that_leaves_its_answer_unread_is_closed(sqlite_url: str, tmp_path: Path) -> None:
    sent = 0
    ended = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        try:
            while True:
                yield b"x" * 65_536
                sent += 1
                await asyncio.sleep(0)
        finally:
            ended.set()

    async def answer() -> StreamingResponse:
        return StreamingResponse(endless())

    limits = ConnectionLimits(unread_seconds=0.5)
    async with run_kept(Settings(database_url=sqlite_url, data_dir=tmp_path), limits) as running:
        running.app.add_api_route("/endless", answer, dependencies=[Public])
        async with connect(running) as client:
            await client.send(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.writer.transport.pause_reading()  # type: ignore[attr-defined]
            async with asyncio.timeout(20):
                await ended.wait()
    assert sent > 0


async def test_live_updates_go_on_when_the_times_for_head_and_body_are_over(hasty: RunningKept) -> None:
    ann = await hasty.make_person("ann")
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{hasty.address}/events", headers={"Authorization": f"Bearer {ann.token}"}) as response,
    ):
        assert await response.content.readline() == b"retry: 2000\n"
        await asyncio.sleep(3 * HASTY.head_seconds)  # the limits that must not strike
        saved = await ann.post("/api/v1/items", {"url": "http://192.168.0.1/"})
        assert saved.status == 201
        async with asyncio.timeout(20):
            while b"data:" not in await response.content.readline():
                pass


# --- too many -------------------------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def silent_clients(running: RunningKept, number: int, address: str) -> AsyncIterator[list[Client]]:
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(connect(running, address)) for _ in range(number)]


@pytest.fixture
async def narrow(sqlite_url: str, tmp_path: Path) -> AsyncIterator[RunningKept]:
    """A Kept that allows five connections from one address."""
    settings = Settings(database_url=sqlite_url, data_dir=tmp_path, limits=Limits(max_connections_per_address=5))
    async with run_kept(settings) as running:
        yield running


async def test_who_has_waited_longest_makes_room_for_a_new_connection_of_the_same_address(narrow: RunningKept) -> None:
    async with silent_clients(narrow, 5, "127.0.0.2") as clients, connect(narrow, "127.0.0.2") as late:
        assert await late.ask_healthz() == b"HTTP/1.1 200 OK\r\n"
        assert await clients[0].read_all() == b""
        assert await clients[1].ask_healthz() == b"HTTP/1.1 200 OK\r\n"


async def test_connections_of_one_address_take_nothing_from_another(narrow: RunningKept) -> None:
    async with silent_clients(narrow, 20, "127.0.0.2"), silent_clients(narrow, 5, "127.0.0.3") as clients:
        for client in clients:
            assert await client.ask_healthz() == b"HTTP/1.1 200 OK\r\n"


async def test_a_trusted_proxy_has_as_many_connections_as_it_wants(narrow: RunningKept) -> None:
    async with silent_clients(narrow, 20, "127.0.0.1") as clients:
        for client in clients:
            assert await client.ask_healthz() == b"HTTP/1.1 200 OK\r\n"


@contextlib.contextmanager
def own_descriptors(number: int) -> Iterator[None]:
    """This process holds the other ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < number:
        pytest.skip(f"at most {hard} descriptors for the clients")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def is_healthy(port: int) -> bool:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError, OSError):
            async with session.get(f"http://127.0.0.1:{port}/healthz") as response:
                return response.status == 200
    return False


@pytest.fixture(scope="module")
async def port(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[int]:
    """Of a server in a process of its own, with 1,024 descriptors."""
    port = free_port()
    command = ["sh", "-c", 'ulimit -n 1024 && exec "$0" serve --no-worker', str(KEPT)]
    told = environment(tmp_path_factory.mktemp("served"), KEPT_PORT=str(port), KEPT_LOG_LEVEL="error")
    server = subprocess.Popen(command, env=told, stdout=subprocess.DEVNULL)
    try:
        await until(lambda: is_healthy(port), seconds=120, what="the server")
        yield port
    finally:
        server.terminate()
        server.wait(30)


def open_silent(stack: contextlib.ExitStack, port: int, number: int) -> None:
    for _ in range(number):
        stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5))


async def test_a_server_with_1024_descriptors_answers_beside_1100_silent_connections(port: int) -> None:
    with own_descriptors(3000), contextlib.ExitStack() as stack:
        open_silent(stack, port, 1100)
        for _ in range(20):
            assert await is_healthy(port)


ENDLESS_HEAD: Final = HEAD + b"x: y\r\n" * 300_000
LONG_COOKIE: Final = HEAD + b'Cookie: a="' + b"\\a" * 30_000 + b'"\r\n\r\n'


def send_hostile(port: int, data: bytes) -> None:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(data)
        client.recv(100)


@pytest.mark.parametrize("data", [ENDLESS_HEAD, LONG_COOKIE], ids=["headers", "cookie"])
async def test_others_are_answered_at_once_while_hostile_heads_come_and_200_connections_sit_silent(
    port: int, data: bytes
) -> None:
    with own_descriptors(1500), contextlib.ExitStack() as stack:
        open_silent(stack, port, 200)
        sending = [asyncio.create_task(asyncio.to_thread(send_hostile, port, data)) for _ in range(20)]
        slowest = 0.0
        while not all(task.done() for task in sending):
            started = time.monotonic()
            assert await is_healthy(port)
            slowest = max(slowest, time.monotonic() - started)
        assert slowest < 2.5  # 0.25 s where the machine has nothing else to do
