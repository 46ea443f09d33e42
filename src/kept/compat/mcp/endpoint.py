"""`/mcp`: the Model Context Protocol over streamable HTTP, one request and one answer at a time, with a bearer token.

Without the extra `mcp` it says that this is missing. With it, the SDK is imported when the first request comes, since
that takes a second and twenty megabytes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from kept.api.middleware import error_envelope
from kept.compat.access import find_token_viewer
from kept.domain.account import Viewer
from kept.domain.errors import Forbidden, KeptError, NotFound, Unauthorized
from kept.wiring.server import Kept

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

# The person who calls the tools: set for each HTTP request, and once for a process that talks over stdio.
viewer_of_request: Final[ContextVar[Viewer]] = ContextVar("viewer_of_request")
MISSING: Final = "This server has no MCP: install it with `pip install 'kept[mcp]'` and start Kept again."


def has_mcp() -> bool:
    return find_spec("mcp") is not None


class McpServing:
    """The SDK's server, from the first request until Kept stops. It has no sessions: any process can answer."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._stopping = asyncio.Event()
        self._started: asyncio.Future[ASGIApp] | None = None
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> ASGIApp:
        if self._started is None:
            self._started = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._started))
        return await asyncio.shield(self._started)

    async def stop(self) -> None:
        self._stopping.set()
        if self._running is not None:
            await self._running

    async def _run(self, started: "asyncio.Future[ASGIApp]") -> None:
        try:
            server = await asyncio.to_thread(self._create)
            async with server.session_manager.run():
                started.set_result(server.session_manager.handle_request)
                await self._stopping.wait()
        except Exception as error:
            if not started.done():
                started.set_exception(error)

    def _create(self) -> "MCPServer":
        tools, security = import_module("kept.compat.mcp.tools"), import_module("mcp.server.transport_security")
        server: MCPServer = tools.create_mcp_server(self._kept)
        # Made for its session manager alone: routes and authentication are Kept's own, and so are hosts, which the
        # middleware has replaced if they are foreign, and origins (`require_caller`): the SDK's lists do not know ours.
        unchecked = security.TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(json_response=True, stateless_http=True, transport_security=unchecked)
        return server


class McpEndpoint:
    """The ASGI application at `/mcp`."""

    def __init__(self) -> None:
        self._serving: McpServing | None = None

    @asynccontextmanager
    async def run(self, kept: Kept) -> AsyncIterator[None]:
        self._serving = McpServing(kept) if has_mcp() else None
        try:
            yield
        finally:
            if self._serving is not None:
                await self._serving.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            if self._serving is None:
                raise NotFound(MISSING)
            viewer = await require_caller(request)
        except KeptError as error:
            await refuse(request, error)(scope, receive, send)
            return
        if request.method != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        serve = await self._serving.start()
        token = viewer_of_request.set(viewer)
        try:
            await serve(scope, receive, send)
        finally:
            viewer_of_request.reset(token)


async def require_caller(request: Request) -> Viewer:
    """Return the viewer. A page of another site is refused, even if it has a valid token."""
    origin, host = request.headers.get("origin"), request.headers.get("host")
    if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
        raise Forbidden("This request comes from a page of another site.")
    viewer = await find_token_viewer(request)
    if viewer is None:
        raise Unauthorized
    return viewer


def refuse(request: Request, error: KeptError) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    envelope = error_envelope(error.code, error.message, request.state.request_id)
    return JSONResponse(envelope, error.http_status, headers)
