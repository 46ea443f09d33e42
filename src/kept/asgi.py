"""The ASGI application: the API and the web pages in one."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from types import FrameType
from typing import Final

import uvicorn
from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute, Route

from kept.api.access import require_policies
from kept.api.connections import (
    DEFAULT_LIMITS,
    ConnectionLimits,
    OpenConnections,
    count_allowed_connections,
    create_connection_class,
)
from kept.api.middleware import AllowedHosts, HeadMiddleware, RequestMiddleware
from kept.api.openapi import build_openapi
from kept.api.routes import (
    account,
    connecting,
    documents,
    health,
    highlights,
    images,
    imports,
    items,
    libraries,
    lookup,
    media,
    search,
)
from kept.api.routes import pages as page_files
from kept.api.uploads import FORM_ALLOWANCE
from kept.compat import images as linked_images
from kept.compat.linkding.routes import router as linkding
from kept.compat.mcp.endpoint import McpEndpoint
from kept.compat.opds import routes as opds
from kept.compat.path_forms import PathForms
from kept.compat.readeck import routes as readeck
from kept.compat.wallabag.routes import router as wallabag
from kept.config import Settings
from kept.content.import_formats.prepare_rows import MAX_CONTENT_BYTES
from kept.version import __version__
from kept.web import pages
from kept.web.assets import mount_static_files
from kept.web.errors import error_page, install_error_pages
from kept.wiring.server import Kept, open_kept

OpenKept = Callable[[Settings], AbstractAsyncContextManager[Kept]]

# Files are uploaded to these paths; every other request is small.
UPLOAD_PATHS: Final = ("/api/v1/imports", "/import")
# To these, in every form of the path, other programs' clients may send a page's content.
CONTENT_PATHS: Final = tuple(
    f"{path}{form}"
    for path in ("/wallabag/api/entries", "/linkding/api/bookmarks/singlefile", "/readeck/api/bookmarks")
    for form in ("", "/", ".json")
)
PAGE_PATH: Final = "/api/v1/items/page"
DOCUMENT_PATHS: Final = ("/api/v1/items/file", "/add/file")


class Server(uvicorn.Server):
    """Gives notice before it stops, calls `on_signal`, and ends live updates, which otherwise have no end."""

    def __init__(self, config: uvicorn.Config, on_signal: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self.on_signal = on_signal

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.on_signal()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = self.config.app
        if isinstance(app, FastAPI):
            app.state.is_stopping = True
            await self.give_notice(app.state.kept.settings.stop_notice_seconds)
            app.state.kept.feed.close()
        await super().shutdown(sockets)

    async def give_notice(self, seconds: float) -> None:
        """Keep serving while not ready, so that a proxy looks elsewhere: a connection not yet accepted when the
        listener closes is reset. A second signal cuts it short."""
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at and not self.force_exit:  # noqa: ASYNC110 uvicorn has a flag, no event
            await asyncio.sleep(0.05)


def create_server_config(app: FastAPI, settings: Settings, limits: ConnectionLimits = DEFAULT_LIMITS) -> uvicorn.Config:
    others = OpenConnections(
        most=count_allowed_connections(),
        most_per_client=settings.limits.max_connections_per_address,
        trusted_proxies=settings.trusted_proxies,
    )
    return uvicorn.Config(
        app,
        http=create_connection_class(limits, others),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=10,
    )


def create_app(settings: Settings, opening: OpenKept = open_kept) -> FastAPI:
    """Create the application; `opening` opens what the routes call services with."""
    mcp = McpEndpoint()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opening(settings) as kept, mcp.run(kept):
            app.state.kept, app.state.is_stopping = kept, False
            yield

    app = FastAPI(
        title="Kept",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # FastAPI's page loads scripts from elsewhere; ours is `web.api_docs`
        redoc_url=None,
    )
    app.router.routes.extend(list_routes())
    app.router.routes.append(Route("/mcp", mcp))
    mount_static_files(app)
    install_error_pages(app)
    require_policies(app)
    app.openapi = cache(lambda: build_openapi(app))  # type: ignore[method-assign]
    app.add_middleware(PathForms)
    app.add_middleware(HeadMiddleware)
    app.add_middleware(
        RequestMiddleware,
        max_body_bytes=settings.limits.max_body_bytes,
        larger=list_upload_limits(settings),
        hosts=AllowedHosts(settings),
        error_page=error_page,
    )
    return app


@cache
def list_routes() -> tuple[BaseRoute, ...]:
    """Return the routes, the most requested first. They are made once: each takes a millisecond to prepare."""
    asked_most = (lookup, items, images, search, highlights, health, libraries)
    others = (account, connecting, imports)
    files = (items.ingest_router, libraries.export_router, page_files.router, documents.router)
    api = (*(family.router for family in (*asked_most, *others)), *files)
    compat = (wallabag, linkding, linked_images.router, opds.router, readeck.router)
    media_routes = APIRouter()
    media_routes.include_router(media.router, prefix="/api/v1")
    media_routes.include_router(media.router, include_in_schema=False)  # the paths of the first specifications
    # The routers are not included in one: FastAPI would prepare each route once more.
    routers = (*api, *(family.router for family in pages.FAMILIES), media_routes, *compat)
    return tuple(route for router in routers for route in router.routes)


def list_upload_limits(settings: Settings) -> dict[str, int]:
    """Return the limits on the bytes of request bodies, by path, where files are sent."""
    limits = dict.fromkeys(UPLOAD_PATHS, settings.max_import_bytes + FORM_ALLOWANCE)
    limits |= dict.fromkeys(CONTENT_PATHS, MAX_CONTENT_BYTES + FORM_ALLOWANCE)
    fields = settings.limits.max_body_bytes  # notes and titles beside the file
    limits[PAGE_PATH] = settings.limits.max_page_upload_bytes + fields
    limits |= dict.fromkeys(DOCUMENT_PATHS, settings.limits.max_document_bytes + fields)
    return limits
