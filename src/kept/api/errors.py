"""Exception handlers: every way a request can fail becomes the error envelope."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException

from kept.api.access import api_routes
from kept.api.middleware import error_envelope
from kept.domain.errors import InvalidRequest, KeptError, RateLimited, Unauthorized, Unavailable
from kept.services.accounts.passwords import TooManySignIns

Handler = Callable[[Request, Any], Awaitable[JSONResponse]]  # Any: each handler takes its own exception

CODES_BY_STATUS = {404: "E_NOT_FOUND", 401: "E_UNAUTHORIZED", 403: "E_FORBIDDEN"}


def envelope_handlers() -> dict[int | type[Exception], Handler]:
    """By status or exception. `web.errors` wraps these, so that a browser gets a page instead."""
    return {
        405: answer_wrong_method,
        KeptError: answer_kept_error,
        RequestValidationError: answer_validation_error,
        HTTPException: answer_http_exception,
        TooManySignIns: answer_too_many_sign_ins,
    }


def answer(
    request: Request, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(error_envelope(code, message, request.state.request_id), status, headers)


async def answer_kept_error(request: Request, error: KeptError) -> JSONResponse:
    if isinstance(error, Unavailable):
        raise error  # for the middleware, which logs outages of whatever kind and says when to come back
    headers = {}
    if isinstance(error, RateLimited):
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return answer(request, error.http_status, error.code, error.message, headers)


async def answer_validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
    faults = "; ".join(explain(fault) for fault in error.errors()[:5])
    return answer(request, InvalidRequest.http_status, InvalidRequest.code, faults)


def explain(fault: ErrorDetails) -> str:
    where = ".".join(str(part) for part in fault["loc"] if part not in {"body", "query", "path"})
    return f"{where}: {fault['msg']}" if where else str(fault["msg"])


async def answer_http_exception(request: Request, error: HTTPException) -> JSONResponse:
    code = CODES_BY_STATUS.get(error.status_code, "E_INVALID_REQUEST")
    return answer(request, error.status_code, code, str(error.detail), error.headers)


async def answer_wrong_method(request: Request, error: HTTPException) -> JSONResponse:
    """The framework's Allow header names the methods of one route only; a path may have several routes."""
    path = request.url.path
    allowed = {
        method for route in api_routes(request.app) if route.path_regex.match(path) for method in route.methods or ()
    }
    headers = {"Allow": ", ".join(sorted(allowed))}
    return answer(request, 405, "E_INVALID_REQUEST", f"{request.method} is not allowed here.", headers)


async def answer_too_many_sign_ins(request: Request, error: TooManySignIns) -> JSONResponse:
    return await answer_kept_error(request, RateLimited(retry_after_seconds=5))
