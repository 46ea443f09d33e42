"""Middleware for every request to the API and the pages: request id, cookies, body limit, security headers,
log line, metrics.

Plain ASGI, because it runs for every request and every chunk of a body.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kept.api.allowed_hosts import AllowedHosts
from kept.api.cookies import keep_own_cookies
from kept.domain.errors import KeptError, TooLarge, Unavailable, first_line, is_outage
from kept.ids import new_id
from kept.observability import HTTP_REQUESTS, HTTP_SECONDS

log = structlog.get_logger("kept.http")

# Responses for one user: no shared cache may store them.
PRIVATE_PATHS: Final = ("/api/", "/media/", "/wallabag/", "/linkding/", "/readeck/", "/opds/")
LONGEST_LENGTH: Final = 20  # digits: more than there are bytes anywhere
REQUEST_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9_.-]{8,64}")

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    # same-origin and not no-referrer: on plain HTTP an old browser sends no Sec-Fetch-Site,
    # and with no-referrer it would send "Origin: null" for our own forms
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


ErrorPage = Callable[[Scope, int, str, str], str | None]


class RequestMiddleware:
    """`error_page` renders (scope, status, message, request id) as HTML, or returns None where JSON is wanted.

    `larger` maps the paths that take uploads to their own body limit.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        max_body_bytes: int,
        larger: Mapping[str, int],
        hosts: AllowedHosts,
        error_page: ErrorPage,
    ) -> None:
        self.app, self.hosts = app, hosts
        self.max_body_bytes, self.larger = max_body_bytes, larger
        self.error_page = error_page

    def limit_for(self, scope: Scope) -> int:
        return self.larger.get(scope["path"], self.max_body_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sent_host = Headers(scope=scope).get("host", "")
        scope["headers"] = keep_own_cookies(replace_host(scope, self.hosts))
        request_id = choose_request_id(Headers(scope=scope).get("x-request-id"))
        scope.setdefault("state", {}).update(request_id=request_id, sent_host=sent_host)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        await Exchange(self, scope, receive, send, request_id).run()


class Exchange:
    """One request and its response."""

    def __init__(
        self, middleware: RequestMiddleware, scope: Scope, receive: Receive, send: Send, request_id: str
    ) -> None:
        self.middleware, self.scope, self.inner_receive, self.inner_send = middleware, scope, receive, send
        self.request_id = request_id
        self.status: int | None = None
        self.received, self.max_body_bytes = 0, middleware.limit_for(scope)
        self.is_too_large = False

    async def run(self) -> None:
        started = time.perf_counter()
        try:
            if declared_length(self.scope) > self.max_body_bytes:
                await self.answer(TooLarge.http_status, TooLarge.code, TooLarge().message)
            else:
                await self.middleware.app(self.scope, self.receive, self.send_unless_too_large)
            if self.is_too_large:
                await self.answer(TooLarge.http_status, TooLarge.code, TooLarge().message)
        except Exception as error:
            await self.answer_exception(error)
        finally:
            self.observe(time.perf_counter() - started)

    async def answer_exception(self, error: Exception) -> None:
        """503 when the database is unreachable or the disk is full; 500 for anything else, which is a bug."""
        asked = {"method": self.scope["method"], "path": self.scope["path"]}
        if is_outage(error):
            log.warning("http.storage_away", **asked, error=first_line(error))
            refusal: KeptError = Unavailable()
        else:
            log.error("http.crashed", **asked, exc_info=error)
            refusal = KeptError("Something went wrong on the server. The error was logged.")
        if self.status is None:
            await self.answer(refusal.http_status, refusal.code, refusal.message)

    async def receive(self) -> Message:
        message = await self.inner_receive()
        if message["type"] == "http.request":
            self.received += len(message.get("body", b""))
            if self.received > self.max_body_bytes:
                self.is_too_large = True
                raise TooLarge
        return message

    async def send_unless_too_large(self, message: Message) -> None:
        """Drops the framework's own response: it takes a `TooLarge` raised by `receive` for a body it cannot parse."""
        if not self.is_too_large:
            await self.send(message)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = self.request_id
            set_defaults(headers, SECURITY_HEADERS.items())
            if self.scope["path"].startswith(PRIVATE_PATHS):
                headers.setdefault("Cache-Control", "no-store")
        await self.inner_send(message)

    async def answer(self, status: int, code: str, message: str) -> None:
        page = self.middleware.error_page(self.scope, status, message, self.request_id)
        answer: Response = JSONResponse(error_envelope(code, message, self.request_id), status)
        if page is not None:
            answer = HTMLResponse(page, status)
        if status == Unavailable.http_status:
            answer.headers["Retry-After"] = str(Unavailable.retry_after_seconds)
        await answer(self.scope, self.inner_receive, self.send)

    def observe(self, seconds: float) -> None:
        route, method, status = route_template(self.scope), self.scope["method"], self.status or 0
        HTTP_REQUESTS.labels(method, route, status).inc()
        HTTP_SECONDS.labels(method, route).observe(seconds)
        level = log.warning if status >= 500 else log.debug
        level("http.answered", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


def replace_host(scope: Scope, hosts: AllowedHosts) -> list[tuple[bytes, bytes]]:
    return [(name, hosts.choose(value, scope) if name == b"host" else value) for name, value in scope["headers"]]


def choose_request_id(proposed: str | None) -> str:
    """A well-formed id from the caller is used, so that one id appears in their logs and ours."""
    if proposed and REQUEST_ID_PATTERN.fullmatch(proposed):
        return proposed
    return new_id().hex


def declared_length(scope: Scope) -> int:
    value = Headers(scope=scope).get("content-length", "")
    return int(value[:LONGEST_LENGTH]) if value.isdecimal() else 0


def set_defaults(headers: MutableHeaders, defaults: Iterable[tuple[str, str]]) -> None:
    for name, value in defaults:
        headers.setdefault(name, value)


def route_template(scope: Scope) -> str:
    """The route's pattern and not the path: a metric label per item would grow without bound."""
    return getattr(scope.get("route"), "path", "unmatched")


def error_envelope(code: str, message: str, request_id: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "request_id": request_id}}
