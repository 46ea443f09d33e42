"""Middleware for every request to the API and the pages: request id, host, cookies, body limit, security headers, HEAD,
log line, metrics. It is plain ASGI, because it runs for every request and every chunk of a body."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network
from typing import Final
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kept.api.connections import parse_address
from kept.config import Settings
from kept.domain.errors import KeptError, TooLarge, Unavailable, first_line, is_outage
from kept.ids import new_id
from kept.metrics import HTTP_REQUESTS, HTTP_SECONDS

# --- which `Host` a request may name: links are made with it, and a foreign one is replaced ---------------------------


HOST: Final = re.compile(rb"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
# Names that exist only inside somebody's own network.
PRIVATE_SUFFIXES: Final = (
    *(".localhost", ".local", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".localdomain", ".private"),
)
# These addresses belong to carriers, and to private networks such as Tailscale's.
SHARED_ADDRESSES: Final = IPv4Network("100.64.0.0/10")


class AllowedHosts:
    """The allowed hosts: loopback and private ones, that of `KEPT_PUBLIC_URL`, and `KEPT_ALLOWED_HOSTS`."""

    def __init__(self, settings: Settings) -> None:
        self._public = urlsplit(settings.public_url).netloc.encode() if settings.public_url else None
        public_name = urlsplit(settings.public_url or "").hostname
        self._names = {name for name in (public_name, *settings.allowed_hosts) if name}

    def choose(self, host: bytes, scope: Scope) -> bytes:
        """Return the host that links are made with: the one the request names, if it is allowed."""
        return host if self.allows(host) else self._public or own_address(scope)

    def allows(self, host: bytes) -> bool:
        match = HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].decode().strip("[]").lower().removesuffix(".")
        return name in self._names or "*" in self._names or is_private(name)


def is_private(name: str) -> bool:
    address = parse_address(name)
    if address is not None:
        is_shared = address.version == 4 and address in SHARED_ADDRESSES
        return address.is_private or address.is_loopback or address.is_link_local or is_shared
    return "." not in name or name.endswith(PRIVATE_SUFFIXES)


def own_address(scope: Scope) -> bytes:
    """Return the address and port at which the connection came in."""
    host, port = scope.get("server") or ("localhost", None)
    shown = f"[{host}]" if ":" in host else host
    return (f"{shown}:{port}" if port else shown).encode()


# --- the cookies Kept sets --------------------------------------------------------------------------------------------


SESSION_COOKIE: Final = "kept_session"
SECURE_SESSION_COOKIE: Final = f"__Host-{SESSION_COOKIE}"
DEVICE_COOKIE: Final = "kept_device"
SECURE_DEVICE_COOKIE: Final = f"__Host-{DEVICE_COOKIE}"
# Says that somebody signed in on the pages that set up an app of wallabag's. It gives access to nothing.
WALLABAG_COOKIE: Final = "kept_wallabag"
OWN_COOKIES: Final = frozenset(
    {SESSION_COOKIE, SECURE_SESSION_COOKIE, DEVICE_COOKIE, SECURE_DEVICE_COOKIE, WALLABAG_COOKIE}
)
# The values of our cookies are made of these characters; none is quoted.
VALUE: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}")

# Python's own reader of cookies (3.11.7) takes quadratic time for a quoted value, and the framework calls it for
# each request: 26 s for 120 kB. So a request goes on with the cookies that we set and no others.
RawHeaders = list[tuple[bytes, bytes]]


def keep_own_cookies(headers: Iterable[tuple[bytes, bytes]]) -> RawHeaders:
    """Return the headers of a request, with only those cookies that Kept sets."""
    kept: RawHeaders = []
    found: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            found |= read_own_cookies(value.decode("latin-1"))
        else:
            kept.append((name, value))
    if found:
        kept.append((b"cookie", "; ".join(f"{name}={value}" for name, value in found.items()).encode()))
    return kept


def read_own_cookies(header: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in header.split(";"))
    said = ((name.strip(), value.strip()) for name, _, value in pairs)
    return {name: value for name, value in said if name in OWN_COOKIES and VALUE.fullmatch(value)}


# --- HEAD, wherever GET is answered: the same headers, and the body is not even made ----------------------------------


NO_BODY: Final[Message] = {"type": "http.response.body", "body": b"", "more_body": False}


class HeadersSent(Exception):
    """Ends the handler of a HEAD request; a stream would otherwise go on, perhaps for ever."""


class HeadMiddleware:
    """Lets the handlers of GET answer HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def send_headers(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start":
                await send(NO_BODY)
                raise HeadersSent

        # The scope is copied: the server looks at the method in its own one, so as not to send a body.
        inner = {**scope, "method": "GET"}
        try:
            await self.app(inner, receive, send_headers)
        except HeadersSent:
            pass
        finally:
            scope["route"] = inner.get("route")


# --- every request ----------------------------------------------------------------------------------------------------


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
    # not no-referrer: on plain HTTP an old browser sends no Sec-Fetch-Site,
    # and with no-referrer it would send "Origin: null" for our own forms
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


ErrorPage = Callable[[Scope, int, str, str], str | None]


class RequestMiddleware:
    """The middleware, which runs each request as an `Exchange`; `larger` maps paths to body limits of their own.

    `error_page` renders (scope, status, message, request id) as HTML, or returns None where JSON is wanted.
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
        """Answer 503 if the database is unreachable or the disk full, and 500 for anything else, which is a bug."""
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
        """Drop the framework's response to a `TooLarge` of `receive`, which it takes for a body it cannot parse."""
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
    """Return the caller's id if it is well-formed, so that one id appears in their logs and ours."""
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
    """Return the route's pattern, not the path: a metric label per item would grow without bound."""
    return getattr(scope.get("route"), "path", "unmatched")


def error_envelope(code: str, message: str, request_id: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message, "request_id": request_id}}
