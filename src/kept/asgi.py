"""The ASGI application: the API and the web pages under one roof."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from kept.api.access import require_policies
from kept.api.errors import install_error_handlers
from kept.api.frame import Frame
from kept.api.openapi import build_openapi
from kept.api.routes import account, health, items, libraries
from kept.bootstrap import open_kept
from kept.config import Settings
from kept.version import __version__
from kept.web import pages


def create_app(settings: Settings) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_kept(settings) as kept:
            app.state.kept = kept
            yield

    app = FastAPI(
        title="Kept",
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
    )
    for router in (health.router, account.router, libraries.router, items.router, pages.router):
        app.include_router(router)
    pages.mount_static_files(app)
    install_error_handlers(app)
    require_policies(app)
    app.openapi = lambda: build_openapi(app)  # type: ignore[method-assign]
    app.add_middleware(Frame, max_body_bytes=settings.max_body_bytes)
    return app
