"""What the folders here share: routes that tell errors in the words of another program."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from kept.api.errors import describe_faults
from kept.domain.errors import BodyUnreadable, InvalidRequest, KeptError, RateLimited, Unavailable
from kept.services.accounts.secrets import TooManySignIns

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
