"""What the folders here share: routes that tell errors in the words of another program, and where Kept is reached."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from kept.api.errors import describe_faults
from kept.bootstrap import Kept
from kept.domain.errors import BodyUnreadable, InvalidRequest, KeptError, RateLimited, Unavailable
from kept.services.accounts.passwords import TooManySignIns

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
WriteError = Callable[[KeptError], Response]


def routes_with_errors(write_error: WriteError) -> type[APIRoute]:
    """A class of routes whose errors are written by `write_error`."""

    class TellingRoute(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def answer(request: Request) -> Response:
                try:
                    return await handle(request)
                except Unavailable:
                    raise  # for the middleware, which logs outages and says when to come back
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


def find_base_url(request: Request, kept: Kept) -> str:
    """Where this server is reached, without a slash at its end."""
    return (kept.settings.public_url or str(request.base_url)).rstrip("/")


class EitherSlashForm:
    """Lets `/opds/unread/` be `/opds/unread`: apps ask in both ways, and not all of them follow a redirect."""

    def __init__(self, app: ASGIApp, prefixes: tuple[str, ...]) -> None:
        self.app: Final = app
        self.prefixes: Final = tuple(f"{prefix}/" for prefix in prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith("/") and scope["path"].startswith(self.prefixes):
            scope["path"] = scope["path"].rstrip("/")  # in place: what is outside asks this scope for the route
        await self.app(scope, receive, send)
