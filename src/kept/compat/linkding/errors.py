"""Errors as linkding's server tells them (Django REST framework)."""

from typing import Final

from fastapi import Response
from fastapi.routing import APIRoute

from kept.compat.answering import routes_with_errors
from kept.compat.answers import PlainJson
from kept.domain.errors import Conflict, InvalidRequest, KeptError, Unauthorized


def error_out(error: KeptError) -> Response:
    status = InvalidRequest.http_status if isinstance(error, Conflict) else error.http_status
    headers = {"WWW-Authenticate": "Token"} if isinstance(error, Unauthorized) else None
    return PlainJson({"detail": error.message}, status, headers)


LinkdingRoute: Final[type[APIRoute]] = routes_with_errors(error_out)
