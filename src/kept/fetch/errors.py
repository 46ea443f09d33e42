"""What aiohttp raises, as reasons. Nothing of aiohttp's passes beyond this."""

from typing import Final

import aiohttp
from aiohttp import ClientHandlerType, ClientRequest, ClientResponse

from kept.fetch.dial import ERRNO_REASONS, EgressStopped, classify_os_error
from kept.fetch.outcome import FetchFailed, FetchReason

# The parser's own exceptions are wrapped twice on their way here; their text is what remains.
HEADERS_TOO_LARGE_MESSAGES: Final = ("Got more than", "Too many headers")


class ConnectionDropped(aiohttp.ClientError):
    """The connection ended before the answer came; what aiohttp raised is its cause."""


async def send_once(request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
    """A middleware. aiohttp asks again when a connection is dropped; when to ask again is the job's decision."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        raise ConnectionDropped from error


def classify_error(error: aiohttp.ClientError | OSError) -> FetchFailed:
    """Time-outs are not among them: what they were waiting for, only the visit knows."""
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
