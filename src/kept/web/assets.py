"""Static files: stylesheet, scripts, icons. Their URL has a digest of all of them, so that browsers may cache them for
ever and never mix versions; modules import each other by relative URL."""

import hashlib
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOLDER: Final = Path(__file__).parent / "static"
FOR_EVER: Final = "public, max-age=31536000, immutable"
FOR_A_DAY: Final = "public, max-age=86400"


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


ASSETS: Final = f"/static/{digest_of(FOLDER)}"


class Cached:
    """Sets Cache-Control on the responses of `app`."""

    def __init__(self, app: ASGIApp, cache_control: str) -> None:
        self.app, self.cache_control = app, cache_control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_header(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                MutableHeaders(scope=message)["Cache-Control"] = self.cache_control
            await send(message)

        await self.app(scope, receive, send_with_header)


def mount_static_files(app: FastAPI) -> None:
    """Only these are compressed: a compressed page that has secrets next to injected text could leak them (BREACH)."""
    files = GZipMiddleware(StaticFiles(directory=FOLDER), minimum_size=1000)
    app.mount(ASSETS, Cached(files, FOR_EVER), name="assets")
    app.mount("/static", Cached(files, FOR_A_DAY), name="static")
