"""Static files: stylesheet, scripts, icons, fonts. Their URL has a digest of all of them, so that browsers may cache
them for ever and never mix versions; modules import each other by relative URL.

The bundle (`js/bundle.mjs`) is served if it was made from the sources that are here, else the sources themselves: no
page waits for a build. Fonts come from npm packages and are in the bundle alone.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FOLDER: Final = Path(__file__).parent / "static"
BUNDLED: Final = Path(__file__).parent / "bundled"
FOR_EVER: Final = "public, max-age=31536000, immutable"
FOR_A_DAY: Final = "public, max-age=86400"
TEXTS: Final = {".js": "text/javascript", ".css": "text/css"}
# Comments on lines of their own, empty lines, and indentation. No string in our files spans several lines.
UNNEEDED: Final = re.compile(r"^[ \t]*(?://.*|/\*[^*]*\*/)?\n|^[ \t]+", re.MULTILINE)


def digest_of(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def is_up_to_date(folder: Path, bundled: Path) -> bool:
    made_of = bundled / "sources.sha256"
    return made_of.is_file() and made_of.read_text() == digest_of([*folder.glob("*.js"), *folder.glob("*.css")])


def order_folders(folder: Path, bundled: Path) -> tuple[Path, ...]:
    """Return the folders in which to look for a file, first to last."""
    if not bundled.is_dir():
        return (folder,)
    return (bundled, folder) if is_up_to_date(folder, bundled) else (folder, bundled)


FOLDERS: Final = order_folders(FOLDER, BUNDLED)
# Without a bundle, pages do without fonts.
FONTS: Final = frozenset(path.stem for path in (BUNDLED / "fonts").glob("*.woff2"))
ASSETS: Final = f"/static/{digest_of(path for folder in FOLDERS for path in folder.rglob('*'))[:12]}"


def find_asset(name: str) -> Path:
    """Return the file that is served under this name."""
    return next(folder / name for folder in FOLDERS if (folder / name).is_file())


@cache
def read_text(path: Path) -> str:
    """Return a script or the stylesheet. A source is sent without comments and indentation: about a seventh of it."""
    text = path.read_text(encoding="utf-8")
    return text if BUNDLED in path.parents else UNNEEDED.sub("", text)


class Assets(StaticFiles):
    """Static files from several folders: a file that the first does not have is looked for in the next."""

    def __init__(self, folders: Iterable[Path]) -> None:
        super().__init__()
        self.all_directories = list(folders)

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
    """Mount the static files, the only compressed responses: on a page with secrets, BREACH could read them."""
    files = GZipMiddleware(Assets(FOLDERS), minimum_size=1000)
    if FONTS:  # compressed already
        app.mount(f"{ASSETS}/fonts", Cached(StaticFiles(directory=BUNDLED / "fonts"), FOR_EVER), name="fonts")
    app.mount(ASSETS, Cached(files, FOR_EVER), name="assets")
    app.mount("/static", Cached(files, FOR_A_DAY), name="static")
