"""Sites that misbehave: every fault ends inside the deadline, with its own reason, in bounded memory."""

import asyncio
import gzip
import json
import os
import random
import socket
import ssl
import struct
import sys
import time
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import brotli
import pytest
import trustme

from kept.fetch.outcome import Fetched, FetchFailed, FetchReason
from kept.fetch.resolver import Answer, AresResolver
from kept.urls.url import get_url
from support.servers.sites import (
    LIMITS,
    FakeDns,
    Handler,
    Request,
    SilentDns,
    make_gate,
    page,
    pages,
    redirect,
    run_site,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GIB = 1024**3
# Some faults last until the deadline: short, but long enough that a busy machine gets there.
DEADLINE_SECONDS = 3.0
# A machine under load takes its time to notice; a fetch that hangs takes for ever.
GRACE_SECONDS = 5.0
MEMORY_MB = 40.0

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def one_byte_a_second(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 1000000\r\n\r\n")
    for _second in range(600):
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1)


async def one_header_byte_a_second(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"X-Slow: ")
    for _second in range(600):
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(1)


def repeat(start: bytes, piece: bytes) -> Handler:
    """For ever, as fast as the other side takes it."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()

    return answer


async def reset_in_the_middle(_: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 1000000\r\n\r\n" + bytes(50_000))
    await writer.drain()
    reset(writer)


async def reset_before_the_answer(_: Request, writer: asyncio.StreamWriter) -> None:
    reset(writer)


def reset(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def close_after(answer: bytes) -> Handler:
    async def respond(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()
        writer.close()

    return respond


def bomb(encoding: str, body: bytes) -> bytes:
    return page(body, Content_Encoding=encoding)


def gzip_bomb() -> bytes:
    member = gzip.compress(bytes(16 * 1024 * 1024), compresslevel=1)
    return bomb("gzip", member * 64)


def brotli_bomb() -> bytes:
    compressor = brotli.Compressor(quality=5)
    zeros = bytes(16 * 1024 * 1024)
    body = b"".join(compressor.process(zeros) for _ in range(64)) + compressor.finish()
    return bomb("br", body)


def zstd_bomb() -> bytes:
    frame = zstd.compress(bytes(16 * 1024 * 1024))
    return bomb("zstd", frame * 64)


STREAMS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def cut_stream(encoding: str) -> Callable[[], Handler]:
    """Half a compressed page, and a Content-Length that says it is all."""
    encoded = STREAMS[encoding](b"<p>" + random.Random(7).randbytes(5000).hex().encode())
    return lambda: pages({"/": page(encoded[: len(encoded) // 2], Content_Encoding=encoding)})


FAULTS: list[tuple[str, Callable[[], Handler], FetchReason]] = [
    ("one byte a second", lambda: one_byte_a_second, FetchReason.READ_TIMED_OUT),
    ("one header byte a second", lambda: one_header_byte_a_second, FetchReason.READ_TIMED_OUT),
    ("endless header lines", lambda: repeat(HEAD, b"X-More: yes\r\n" * 100), FetchReason.HEADERS_TOO_LARGE),
    ("one endless header", lambda: repeat(HEAD + b"X-Long: ", b"x" * 4096), FetchReason.HEADERS_TOO_LARGE),
    ("endless status line", lambda: repeat(b"HTTP/1.1 200 ", b"x" * 4096), FetchReason.HEADERS_TOO_LARGE),
    (
        "endless interim answers",
        lambda: repeat(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 10),
        FetchReason.READ_TIMED_OUT,
    ),
    ("endless body", lambda: repeat(HEAD + b"\r\n", bytes(65536)), FetchReason.TOO_LARGE),
    (
        "endless chunks",
        lambda: repeat(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + bytes(4096) + b"\r\n"),
        FetchReason.TOO_LARGE,
    ),
    (
        "endless chunk extension",
        lambda: repeat(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;", b"x" * 4096),
        FetchReason.READ_TIMED_OUT,
    ),
    (
        "endless trailers",
        lambda: repeat(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-More: yes\r\n" * 100),
        FetchReason.HEADERS_TOO_LARGE,
    ),
    ("endless redirects", lambda: pages({"/": redirect("/")}), FetchReason.TOO_MANY_REDIRECTS),
    ("1 GiB of gzip", lambda: pages({"/": gzip_bomb()}), FetchReason.TOO_LARGE),
    ("1 GiB of brotli", lambda: pages({"/": brotli_bomb()}), FetchReason.TOO_LARGE),
    ("1 GiB of zstd", lambda: pages({"/": zstd_bomb()}), FetchReason.TOO_LARGE),
    ("a declared gigabyte", lambda: pages({"/": HEAD + b"Content-Length: 1073741824\r\n\r\n"}), FetchReason.TOO_LARGE),
    ("not the encoding it claims", lambda: pages({"/": bomb("br", b"<html>" * 99)}), FetchReason.BAD_ENCODING),
    *((f"{encoding} that breaks off", cut_stream(encoding), FetchReason.INCOMPLETE) for encoding in STREAMS),
    ("reset in the middle", lambda: reset_in_the_middle, FetchReason.RESET),
    ("reset before the answer", lambda: reset_before_the_answer, FetchReason.RESET),
    ("closed without an answer", lambda: close_after(b""), FetchReason.RESET),
    (
        "less than Content-Length",
        lambda: close_after(HEAD + b"Content-Length: 1000\r\n\r\nshort"),
        FetchReason.INCOMPLETE,
    ),
    (
        "chunks that break off",
        lambda: close_after(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"),
        FetchReason.INCOMPLETE,
    ),
    (
        "more than Content-Length",
        lambda: close_after(HEAD + b"Content-Length: 5\r\n\r\nhello and more"),
        FetchReason.BAD_RESPONSE,
    ),
    ("not HTTP at all", lambda: close_after(b"SSH-2.0-OpenSSH_9.6\r\n"), FetchReason.BAD_RESPONSE),
    (
        "two Content-Lengths",
        lambda: close_after(HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        FetchReason.BAD_RESPONSE,
    ),
]


@pytest.mark.parametrize(("make", "reason"), [pytest.param(make, why, id=name) for name, make, why in FAULTS])
async def test_a_fault_ends_in_time_with_its_reason_and_in_bounded_memory(
    make: Callable[[], Handler], reason: FetchReason
) -> None:
    async with run_site(make()) as site, run_site(pages({"/": page()})) as calm:
        measured = await fetch_in_a_fresh_process(site.url(), calm.url())
    assert measured["reason"] == reason
    assert measured["seconds"] < DEADLINE_SECONDS + GRACE_SECONDS
    assert measured["growth_mb"] < MEMORY_MB


async def fetch_in_a_fresh_process(url: str, warm_up_url: str) -> dict[str, Any]:
    root = Path(__file__).parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "support.servers.measured_fetch",
        url,
        warm_up_url,
        str(DEADLINE_SECONDS),
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    measured: dict[str, Any] = json.loads(output)
    return measured


@pytest.mark.requirement("000", "a dropped connection costs one request an attempt")
@pytest.mark.parametrize("drop", [reset_before_the_answer, close_after(b"")], ids=["reset", "closed"])
async def test_a_dropped_connection_costs_one_request(drop: Handler) -> None:
    async with run_site(drop) as site, make_gate(site.allowed) as gate:
        failed = await gate.fetch(get_url(site.url()), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert (failed.reason, len(site.requests)) == (FetchReason.RESET, 1)


async def test_a_kept_connection_that_is_dropped_costs_one_request_too() -> None:
    async def answer_once(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.target == "/first":
            writer.write(page())
        else:
            reset(writer)

    async with run_site(answer_once) as site, make_gate(site.allowed) as gate:
        assert isinstance(await gate.fetch(get_url(site.url("/first")), LIMITS), Fetched)
        failed = await gate.fetch(get_url(site.url("/second")), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert [request.target for request in site.requests] == ["/first", "/second"]
    assert (failed.reason, site.connections) == (FetchReason.RESET, 1)


async def test_a_stream_is_not_called_incomplete_where_our_own_limit_ended_it() -> None:
    encoded = gzip.compress(random.Random(7).randbytes(100_000).hex().encode())
    cut = page(encoded[:-100], Content_Encoding="gzip")
    async with run_site(pages({"/": cut})) as site, make_gate(site.allowed) as gate:
        fetched = await gate.fetch(get_url(site.url()), replace(LIMITS, max_bytes=10_000, truncate=True))
    assert isinstance(fetched, Fetched)
    assert (fetched.truncated, len(fetched.body)) == (True, 10_000)


async def test_a_closed_port_and_a_missing_name_have_their_reasons() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        async with make_gate(f"127.0.0.1/32:{port}") as gate:
            refused = await gate.fetch(get_url(f"http://127.0.0.1:{port}/"), LIMITS)
            missing = await gate.fetch(get_url("http://missing.example/"), LIMITS)
    assert isinstance(refused, FetchFailed)
    assert isinstance(missing, FetchFailed)
    assert (refused.reason, refused.is_transient) == (FetchReason.REFUSED, True)
    assert (missing.reason, missing.is_transient) == (FetchReason.NO_SUCH_NAME, False)


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


def server_tls(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names).configure_cert(context)
    return context


def client_tls(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


async def test_a_good_certificate_is_accepted(authority: trustme.CA) -> None:
    tls = server_tls(authority, "good.example")
    dns = FakeDns({"good.example": ["127.0.0.1"]})
    trust = client_tls(authority)
    async with run_site(pages({"/": page()}), tls=tls) as site, make_gate(site.allowed, dns=dns, tls=trust) as gate:
        fetched = await gate.fetch(get_url(site.url(host="good.example", scheme="https")), LIMITS)
    assert isinstance(fetched, Fetched)


@pytest.mark.parametrize("trusted", [True, False], ids=["wrong name", "unknown authority"])
async def test_a_bad_certificate_is_its_own_reason(authority: trustme.CA, trusted: bool) -> None:
    tls = server_tls(authority, "other.example" if trusted else "127.0.0.1")
    trust = client_tls(authority) if trusted else None
    async with run_site(pages({"/": page()}), tls=tls) as site, make_gate(site.allowed, tls=trust) as gate:
        failed = await gate.fetch(get_url(site.url(scheme="https")), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert (failed.reason, failed.is_transient) == (FetchReason.TLS_CERTIFICATE, False)
    assert site.requests == []


async def test_a_plain_site_asked_for_tls_is_a_tls_failure() -> None:
    async def serve_garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await reader.read(100)
        writer.close()

    server = await asyncio.start_server(serve_garbage, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, make_gate(f"127.0.0.1/32:{port}") as gate:
        failed = await gate.fetch(get_url(f"https://127.0.0.1:{port}/"), LIMITS)
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.TLS_FAILED


async def test_a_handshake_that_never_ends_is_a_connect_time_out() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    url = get_url(f"https://127.0.0.1:{port}/")
    async with server, make_gate(f"127.0.0.1/32:{port}") as gate:
        for limits in (replace(LIMITS, connect_seconds=0.3), replace(LIMITS, total_seconds=0.3)):
            failed = await gate.fetch(url, limits)
            assert isinstance(failed, FetchFailed)
            assert (failed.reason, failed.is_transient) == (FetchReason.CONNECT_TIMED_OUT, True)


async def test_a_silent_site_ends_at_the_read_limit() -> None:
    async def never(_: Request, __: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with run_site(never) as site, make_gate(site.allowed) as gate:
        started = time.monotonic()
        failed = await gate.fetch(get_url(site.url()), replace(LIMITS, read_seconds=0.3))
    assert isinstance(failed, FetchFailed)
    assert failed.reason is FetchReason.READ_TIMED_OUT
    assert time.monotonic() - started < GRACE_SECONDS


async def test_a_site_that_sends_piece_by_piece_is_read_for_longer_than_the_read_limit() -> None:
    async def trickle(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n")
        for piece in b"<p>abc":
            await asyncio.sleep(0.3)
            writer.write(bytes([piece]))

    async with run_site(trickle) as site, make_gate(site.allowed) as gate:
        fetched = await gate.fetch(get_url(site.url()), replace(LIMITS, read_seconds=1.2))
    assert isinstance(fetched, Fetched)
    assert fetched.body == b"<p>abc"


async def test_the_read_limit_of_a_redirect_does_not_shorten_the_next_connection() -> None:
    class SlowDns(FakeDns):
        async def resolve(self, name: str) -> Answer:
            await asyncio.sleep(0.8)
            return await super().resolve(name)

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        moved = b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        writer.write(page(b"<p>there") if request.target == "/there" else moved)

    dns = SlowDns({"site.example": ["127.0.0.1"]})
    async with run_site(answer) as site, make_gate(site.allowed, dns=dns) as gate:
        fetched = await gate.fetch(get_url(f"http://site.example:{site.port}/"), replace(LIMITS, read_seconds=0.6))
    assert isinstance(fetched, Fetched)
    assert dns.asked == ["site.example"] * 2


@pytest.fixture
async def silent_name_server() -> AsyncIterator[str]:
    with socket.socket(type=socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{server.getsockname()[1]}"


async def test_a_name_server_that_takes_its_time_ends_at_the_deadline(silent_name_server: str) -> None:
    dns = AresResolver([silent_name_server])
    async with make_gate(dns=dns) as gate:
        started = time.monotonic()
        failed = await gate.fetch(get_url("http://slow.example/"), replace(LIMITS, total_seconds=0.5))
        seconds = time.monotonic() - started
    await dns.close()
    assert isinstance(failed, FetchFailed)
    assert (failed.reason, failed.is_transient) == (FetchReason.DNS_TIMED_OUT, True)
    assert seconds < GRACE_SECONDS


async def test_many_slow_names_do_not_hold_up_a_fast_one() -> None:
    class HalfSilentDns(FakeDns):
        async def resolve(self, name: str) -> Answer:
            return await (SilentDns().resolve(name) if name.startswith("slow") else super().resolve(name))

    dns = HalfSilentDns({"fast.example": ["127.0.0.1"]})
    async with run_site(pages({"/": page()})) as site, make_gate(site.allowed, dns=dns) as gate:
        slow = [
            asyncio.create_task(gate.fetch(get_url(f"http://slow{n}.example/"), replace(LIMITS, total_seconds=1)))
            for n in range(50)
        ]
        fetched = await gate.fetch(get_url(site.url(host="fast.example")), LIMITS)
        assert isinstance(fetched, Fetched)
        assert not any(task.done() for task in slow)
        outcomes = await asyncio.gather(*slow)
    assert {outcome.reason for outcome in outcomes if isinstance(outcome, FetchFailed)} == {FetchReason.DNS_TIMED_OUT}
