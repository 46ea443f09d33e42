"""Errors as wallabag's server tells them: two texts, and the statuses that its clients act on."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from kept.compat.answers import PlainJson
from kept.domain.errors import (
    Forbidden,
    InvalidRequest,
    KeptError,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
)

NAMES: Final[dict[type[KeptError], str]] = {
    Unauthorized: "invalid_grant",
    Forbidden: "insufficient_scope",
    NotFound: "not_found",
    RateLimited: "slow_down",
}
# The Android app reads any 400 as wrong credentials, so that a bad request is said otherwise.
UNPROCESSABLE: Final = 422


class WallabagRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except Unavailable:
                raise  # for the middleware, as everywhere
            except KeptError as error:
                return error_out(error)
            except RequestValidationError:
                return error_out(InvalidRequest())

        return answer


def error_out(error: KeptError) -> Response:
    status = UNPROCESSABLE if isinstance(error, InvalidRequest) else error.http_status
    name = next((name for kind, name in NAMES.items() if isinstance(error, kind)), "invalid_request")
    answer = PlainJson({"error": name, "error_description": error.message}, status)
    if isinstance(error, RateLimited):
        answer.headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Unauthorized):
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer
