"""Connecting: resolve, judge, connect to the very address that was judged.

`dial` is for the browser's proxy; the HTTP client uses the same parts through aiohttp.
"""

import asyncio
import errno
import socket
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import aiohappyeyeballs
import aiohttp
from aiohappyeyeballs import AddrInfoType
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from kept.fetch.outcome import FetchFailed, FetchReason
from kept.fetch.policy import EgressPolicy, TrustLevel
from kept.fetch.resolver import DnsFailure, Resolver
from kept.urls.host import IPAddress
from kept.urls.url import NormalisedUrl

# RFC 8305: how long one address may keep the next one waiting.
NEXT_ADDRESS_SECONDS: Final = 0.25
DNS_REASONS: Final = {
    DnsFailure.NO_SUCH_NAME: FetchReason.NO_SUCH_NAME,
    DnsFailure.TEMPORARY: FetchReason.DNS_FAILED,
}
ERRNO_REASONS: Final = {
    errno.ECONNREFUSED: FetchReason.REFUSED,
    errno.ECONNRESET: FetchReason.RESET,
    errno.ECONNABORTED: FetchReason.RESET,
    errno.EPIPE: FetchReason.RESET,
    errno.ETIMEDOUT: FetchReason.CONNECT_TIMED_OUT,
}
# The parser's own exceptions are wrapped twice on their way here; their text is what remains.
HEADERS_TOO_LARGE_MESSAGES: Final = ("Got more than", "Too many headers")


class EgressStopped(OSError):
    """The policy refused, and `failure` says why. It is an OSError, since connecting code passes those on."""

    def __init__(self, failure: FetchFailed) -> None:
        super().__init__("stopped by the egress gate")
        self.failure = failure


class SocketGuard:
    """Makes sockets only for addresses the policy allows: the last check before `connect`."""

    def __init__(self, policy: EgressPolicy, trust_level: TrustLevel) -> None:
        self._policy = policy
        self._trust_level = trust_level

    def __call__(self, target: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = target
        refusal = self._policy.judge_socket(ip_address(address[0]), address[1], self._trust_level)
        if refusal is not None:
            raise EgressStopped(refusal.as_failure())
        return socket.socket(family=family, type=kind, proto=protocol)


@dataclass(frozen=True, slots=True)
class Dialled:
    """An open connection, and the address it goes to."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    address: str


class ConnectionDropped(aiohttp.ClientError):
    """The connection ended before the answer came; what aiohttp raised is its cause."""


async def dial(
    url: NormalisedUrl,
    trust_level: TrustLevel,
    *,
    policy: EgressPolicy,
    resolver: Resolver,
    connect_seconds: float,
) -> Dialled | FetchFailed:
    """Open a TCP connection to `url`'s host and port, if the policy allows it. The caller adds TLS, if any."""
    reason = FetchReason.DNS_TIMED_OUT
    try:
        async with asyncio.timeout(connect_seconds):
            addresses = await find_addresses(url, trust_level, policy=policy, resolver=resolver)
            if isinstance(addresses, FetchFailed):
                return addresses
            reason = FetchReason.CONNECT_TIMED_OUT
            return await connect(addresses, url.port, SocketGuard(policy, trust_level))
    except TimeoutError:
        return FetchFailed(reason)
    except EgressStopped as error:
        return error.failure
    except OSError as error:
        return FetchFailed(classify_os_error(error))


async def find_addresses(
    url: NormalisedUrl, trust_level: TrustLevel, *, policy: EgressPolicy, resolver: Resolver
) -> tuple[IPAddress, ...] | FetchFailed:
    """Return the addresses of the URL's host, if the policy allows all of them."""
    refusal = policy.judge_url(url, trust_level)
    if refusal is not None:
        return refusal.as_failure()
    if url.address is not None:
        return (url.address,)
    return await look_up(url.host, url.port, trust_level, policy=policy, resolver=resolver)


async def look_up(
    name: str, port: int, trust_level: TrustLevel, *, policy: EgressPolicy, resolver: Resolver
) -> tuple[IPAddress, ...] | FetchFailed:
    answer = await resolver.resolve(name)
    if isinstance(answer, DnsFailure):
        return FetchFailed(DNS_REASONS[answer])
    refusal = policy.judge_answer(name, port, answer, trust_level)
    return answer if refusal is None else refusal.as_failure()


async def connect(addresses: tuple[IPAddress, ...], port: int, guard: SocketGuard) -> Dialled:
    sock = await aiohappyeyeballs.start_connection(
        [address_info(address, port) for address in addresses],
        happy_eyeballs_delay=NEXT_ADDRESS_SECONDS,
        socket_factory=guard,
    )
    address = str(sock.getpeername()[0])
    reader, writer = await asyncio.open_connection(sock=sock)
    return Dialled(reader, writer, address)


def address_info(address: IPAddress, port: int) -> AddrInfoType:
    if address.version == 4:
        return (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (str(address), port))
    return (socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (str(address), port, 0, 0))


def classify_os_error(error: OSError) -> FetchReason:
    if isinstance(error, ssl.SSLCertVerificationError):
        return FetchReason.TLS_CERTIFICATE
    if isinstance(error, ssl.SSLError):
        return FetchReason.TLS_FAILED
    return ERRNO_REASONS.get(error.errno or 0, FetchReason.UNREACHABLE)


async def send_once(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """Send a request only once: aiohttp would repeat it on a dropped connection, but the job decides about retries."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise ConnectionDropped from error


def classify_error(error: aiohttp.ClientError | OSError) -> FetchFailed:
    """Turn an error of aiohttp into a failure, except time-outs: only the visit knows what they waited for."""
    match error:
        case ConnectionDropped(__cause__=aiohttp.ClientError() as cause):
            return classify_error(cause)
        case aiohttp.ClientConnectorCertificateError():
            return FetchFailed(FetchReason.TLS_CERTIFICATE)
        case aiohttp.ClientConnectorError(os_error=EgressStopped() as stopped):
            return stopped.failure
        case aiohttp.ClientConnectorError():
            return FetchFailed(classify_os_error(error.os_error))
        case aiohttp.ClientPayloadError():
            # aiohttp keeps the connection's own error only in the text.
            # Trailers come with the body, so that the parser's complaint about them may arrive inside this one.
            if any(message in f"{error} {error.__cause__}" for message in HEADERS_TOO_LARGE_MESSAGES):
                return FetchFailed(FetchReason.HEADERS_TOO_LARGE)
            reset = "ConnectionResetError" in str(error)
            return FetchFailed(FetchReason.RESET if reset else FetchReason.INCOMPLETE)
        case aiohttp.ClientResponseError():
            too_large = error.message.startswith(HEADERS_TOO_LARGE_MESSAGES)
            return FetchFailed(FetchReason.HEADERS_TOO_LARGE if too_large else FetchReason.BAD_RESPONSE)
        case aiohttp.ServerDisconnectedError():
            return FetchFailed(FetchReason.RESET)
        case OSError():
            return FetchFailed(ERRNO_REASONS.get(error.errno or 0, FetchReason.RESET))
        case _:
            return FetchFailed(FetchReason.BAD_RESPONSE)
