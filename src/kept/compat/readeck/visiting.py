"""What every family of Readeck's routes begins with: who asks, where Kept is reached, how errors are told."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from kept.api.access import KeptDep
from kept.api.base_url import find_base_url
from kept.bootstrap import Kept
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import routes_with_errors
from kept.compat.readeck.bookmarks_out import BookmarkWriter
from kept.domain.account import Viewer
from kept.domain.errors import KeptError, Unauthorized, UrlInvalid
from kept.services.images.serving import prepare_image_links

PREFIX: Final = "/readeck"


def write_error(error: KeptError) -> Response:
    if isinstance(error, UrlInvalid):
        faults = {"is_valid": False, "errors": [], "fields": {"url": {"errors": [error.message]}}}
        return JSONResponse(faults, 422)
    headers = {"WWW-Authenticate": "Bearer"} if isinstance(error, Unauthorized) else None
    return JSONResponse({"status": error.http_status, "message": error.message}, error.http_status, headers)


def create_router() -> APIRouter:
    return APIRouter(prefix=PREFIX, include_in_schema=False, route_class=routes_with_errors(write_error))


def find_api_url(request: Request, kept: Kept) -> str:
    return f"{find_base_url(request, kept)}{PREFIX}/api"


class Visit:
    """A request by somebody who may read."""

    def __init__(self, request: Request, viewer: TokenReader, kept: KeptDep) -> None:
        self.request = request
        self.viewer: Viewer = viewer
        self.kept: Kept = kept

    @property
    def api_url(self) -> str:
        return find_api_url(self.request, self.kept)

    async def open_writer(self) -> BookmarkWriter:
        images = await prepare_image_links(self.kept.database, self.viewer, find_base_url(self.request, self.kept))
        return BookmarkWriter(self.api_url, images)


class WritingVisit(Visit):
    """A request by somebody who may change something."""

    def __init__(self, request: Request, viewer: TokenWriter, kept: KeptDep) -> None:
        super().__init__(request, viewer, kept)


Visiting = Annotated[Visit, Depends()]
Writing = Annotated[WritingVisit, Depends()]


def answer_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse(value, status, headers={"Cache-Control": "no-store", **(headers or {})})


def say(status: int, message: str, **headers: str) -> Response:
    said: dict[str, Any] = {"status": status, "message": message}
    return answer_json(said, status, {name.replace("_", "-"): value for name, value in headers.items()})
