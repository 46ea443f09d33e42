"""Exception handlers: every way a request can fail becomes the error envelope."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from kept.api.access import api_routes
from kept.api.middleware import error_envelope
from kept.domain.errors import (
    BodyUnreadable,
    Forbidden,
    InvalidRequest,
    KeptError,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from kept.domain.message import Message
from kept.services.accounts.secrets import TooManySignIns
from kept.validation import explain_fault

Handler = Callable[[Request, Any], Awaitable[JSONResponse]]  # Any: each handler takes its own exception

REFUSALS_BY_STATUS: Final[Mapping[int, type[KeptError]]] = {
    400: BodyUnreadable,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
}
TOO_MANY_SIGN_INS: Final = RateLimited(retry_after_seconds=5)
MAX_FAULTS: Final = 5
MAX_NAME: Final = 60


def envelope_handlers() -> dict[int | type[Exception], Handler]:
    """Return the handlers by status or exception. `web.errors` wraps them: a browser gets a page instead."""
    return {
        405: answer_wrong_method,
        KeptError: answer_kept_error,
        RequestValidationError: answer_validation_error,
        HTTPException: answer_http_exception,
        TooManySignIns: answer_too_many_sign_ins,
    }


def answer(
    request: Request, status: int, code: str, message: Message, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(error_envelope(code, str(message), request.state.request_id), status, headers)


def message_of(request: Request, error: Exception) -> Message:
    """Return the envelope's message about an error, with its values by name: pages translate it."""
    match error:
        case KeptError():
            return error.told
        case TooManySignIns():
            return TOO_MANY_SIGN_INS.told
        case RequestValidationError():
            return Message(describe_faults(error))
        case HTTPException(status_code=405):
            return Message("%(method)s is not allowed here.", {"method": request.method})
        case HTTPException():
            return REFUSALS_BY_STATUS.get(error.status_code, InvalidRequest)().told
        case _:
            return KeptError().told


async def answer_kept_error(request: Request, error: KeptError) -> JSONResponse:
    if isinstance(error, Unavailable):
        raise error  # the middleware logs every outage and says when to come back
    headers = {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return answer(request, error.http_status, error.code, error.told, headers)


async def answer_validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
    return answer(request, InvalidRequest.http_status, InvalidRequest.code, message_of(request, error))


def describe_faults(error: RequestValidationError) -> str:
    """Describe the first faults of a request: which field, and what is wrong with it."""
    return "; ".join(describe_fault(fault) for fault in error.errors()[:MAX_FAULTS]) + "."


def describe_fault(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "json_invalid":
        return f"The body is not valid JSON: there is an error at character {fault['loc'][-1] + 1}"
    part, *names = fault["loc"]
    if names:
        return f"{name_field(names)}: {explain_fault(fault)}"
    if part != "body":
        return f"The {part} {explain_fault(fault)}"
    is_undecoded = isinstance(fault["input"], bytes)
    return (
        "The body must be JSON, with Content-Type: application/json"
        if is_undecoded
        else "The body must be a JSON object"
    )


def name_field(names: Sequence[object]) -> str:
    """Write a field as `tags[3]`. Names may be the caller's: they are cut, and unprintable characters replaced."""
    first, *rest = (part if isinstance(part, int) else str(part) for part in names)
    name = f"{first}" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name[:MAX_NAME])
    return shown if len(name) <= MAX_NAME else f"{shown}…"


async def answer_http_exception(request: Request, error: HTTPException) -> JSONResponse:
    """Answer the framework's own refusals in our words."""
    code = REFUSALS_BY_STATUS.get(error.status_code, InvalidRequest).code
    return answer(request, error.status_code, code, message_of(request, error), error.headers)


async def answer_wrong_method(request: Request, error: HTTPException) -> JSONResponse:
    """Answer with the methods of all routes of the path in Allow; the framework names those of one route only. A path
    that is spelt out (`/items/page`) is not taken for one with an id."""
    path = request.url.path
    routes = [route for route in api_routes(request.app) if route.path_regex.match(path)]
    spelt_out = [route for route in routes if route.path == path]
    allowed = {method for route in spelt_out or routes for method in route.methods or ()}
    if "GET" in allowed:
        allowed.add("HEAD")
    headers = {"Allow": ", ".join(sorted(allowed))}
    return answer(request, 405, "E_INVALID_REQUEST", message_of(request, error), headers)


async def answer_too_many_sign_ins(request: Request, error: TooManySignIns) -> JSONResponse:
    return await answer_kept_error(request, TOO_MANY_SIGN_INS)
