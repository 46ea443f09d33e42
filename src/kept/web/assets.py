"""Static files: stylesheet, scripts, icons. Their URL has a digest of all of them, so that browsers may cache them for
ever and never mix versions; modules import each other by relative URL."""

import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOLDER: Final = Path(__file__).parent / "static"
FOR_EVER: Final = "public, max-age=31536000, immutable"
FOR_A_DAY: Final = "public, max-age=86400"
TEXTS: Final = {".js": "text/javascript", ".css": "text/css"}
# Comments that have their lines to themselves, empty lines, and indentation. No string in our files goes over a line.
UNNEEDED: Final = re.compile(r"^[ \t]*(?://.*|/\*[^*]*\*/)?\n|^[ \t]+", re.MULTILINE)


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


ASSETS: Final = f"/static/{digest_of(FOLDER)}"


@cache
def read_text(path: Path) -> str:
    """A script or the stylesheet without what only its authors need: about a seventh."""
    return UNNEEDED.sub("", path.read_text(encoding="utf-8"))


class Files(StaticFiles):
    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        path = Path(full_path)
        if path.suffix not in TEXTS:
            return super().file_response(full_path, stat_result, scope, status_code)
        return Response(read_text(path), status_code, media_type=TEXTS[path.suffix])


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
    files = GZipMiddleware(Files(directory=FOLDER), minimum_size=1000)
    app.mount(ASSETS, Cached(files, FOR_EVER), name="assets")
    app.mount("/static", Cached(files, FOR_A_DAY), name="static")
