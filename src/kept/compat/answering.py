"""What the folders here share: plain JSON, URLs, and routes that word errors as another program does."""

import json
from collections.abc import Callable, Coroutine
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from kept.api.errors import describe_faults
from kept.api.requests import find_base_url
from kept.domain.errors import BodyUnreadable, InvalidRequest, KeptError, RateLimited, Unavailable
from kept.services.accounts.secrets import TooManySignIns
from kept.wiring.server import Kept

JSON_TYPE: Final = "application/json"


class PlainJson(Response):
    """A response of exactly `application/json`: with a charset after it, wallabag-client does not take it for JSON."""

    media_type = JSON_TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def base_url(request: Request, kept: Kept, prefix: str) -> str:
    """Return the URL of an API, as clients were told."""
    return f"{find_base_url(request, kept)}{prefix}"


def write_url(base: str, path: str, query: dict[str, str]) -> str:
    shown = "&".join(f"{quote(name)}={quote(value)}" for name, value in query.items())
    return f"{base}{path}?{shown}" if shown else f"{base}{path}"


# --- routes that tell errors in the words of another program ----------------------------------------------------------


Handler = Callable[[Request], Coroutine[Any, Any, Response]]
WriteError = Callable[[KeptError], Response]


def routes_with_errors(write_error: WriteError) -> type[APIRoute]:
    """Return a class of routes whose errors are written by `write_error`."""

    class TellingRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def answer(request: Request) -> Response:
                try:
                    return await handle(request)
                except Unavailable:
                    raise  # the middleware logs outages and says when to come back
                except (KeptError, RequestValidationError, HTTPException, TooManySignIns) as error:
                    return refuse(write_error, as_kept_error(error))

            return answer

    return TellingRoute


def refuse(write_error: WriteError, error: KeptError) -> Response:
    response = write_error(error)
    if isinstance(error, RateLimited):
        response.headers["Retry-After"] = str(error.retry_after_seconds)
    return response


def as_kept_error(error: Exception) -> KeptError:
    match error:
        case KeptError():
            return error
        case RequestValidationError():
            return InvalidRequest(describe_faults(error))
        case TooManySignIns():
            return RateLimited(retry_after_seconds=5)
        case _:
            return BodyUnreadable()
