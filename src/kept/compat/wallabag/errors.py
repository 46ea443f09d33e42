"""Errors as wallabag's server tells them: two texts, and the statuses that its clients act on."""

from typing import Final

from fastapi import Response
from fastapi.routing import APIRoute

from kept.compat.answering import routes_with_errors
from kept.compat.answers import PlainJson
from kept.domain.errors import Forbidden, InvalidRequest, KeptError, NotFound, RateLimited, Unauthorized

NAMES: Final[dict[type[KeptError], str]] = {
    Unauthorized: "invalid_grant",
    Forbidden: "insufficient_scope",
    NotFound: "not_found",
    RateLimited: "slow_down",
}
# The Android app reads any 400 as wrong credentials, so that a bad request is said otherwise.
UNPROCESSABLE: Final = 422


def error_out(error: KeptError) -> Response:
    status = UNPROCESSABLE if isinstance(error, InvalidRequest) else error.http_status
    name = next((name for kind, name in NAMES.items() if isinstance(error, kind)), "invalid_request")
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    return PlainJson({"error": name, "error_description": error.message}, status, headers)


WallabagRoute: Final[type[APIRoute]] = routes_with_errors(error_out)
