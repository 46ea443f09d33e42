"""Errors as linkding's server tells them (Django REST framework)."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from kept.compat.answers import PlainJson
from kept.domain.errors import Conflict, InvalidRequest, KeptError, RateLimited, Unauthorized, Unavailable


class LinkdingRoute(APIRoute):
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
    status = InvalidRequest.http_status if isinstance(error, Conflict) else error.http_status
    answer = PlainJson({"detail": error.message}, status)
    if isinstance(error, RateLimited):
        answer.headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Unauthorized):
        answer.headers["WWW-Authenticate"] = "Token"
    return answer
