"""What all of Readeck's routes share: the fields that clients send, as JSON or as a form, who asks, the URL of the API,
and how errors are written. Each client has its own way to say true."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse
from starlette.datastructures import FormData, UploadFile

from kept.api.access import KeptDep
from kept.api.requests import find_base_url
from kept.compat.access import TokenReader, TokenWriter
from kept.compat.answering import routes_with_errors
from kept.compat.fields import is_form, parse_flag, read_form, read_json_object
from kept.compat.readeck.bookmarks_out import BookmarkWriter
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError, Unauthorized, UrlInvalid
from kept.domain.imported import storable
from kept.services.images.serving import prepare_image_links
from kept.wiring.server import Kept

MAX_FIELDS: Final = 500
MAX_FILES: Final = 200
MAX_LIST: Final = 10_000


class Fields:
    """The fields of a request, from JSON or a form; a missing one is None."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        if isinstance(value, list):
            value = value[-1] if value else None
        if value is None or isinstance(value, dict):
            return None
        return storable(str(value))

    def texts(self, name: str) -> list[str] | None:
        """Return the texts of one value, of several, or of a list."""
        value = self._values.get(name)
        if value is None:
            return None
        listed = value if isinstance(value, list) else [value]
        if len(listed) > MAX_LIST:
            raise InvalidRequest(f"{name}: too many values.")
        return [storable(part) for part in listed if isinstance(part, str)]

    def flag(self, name: str) -> bool | None:
        said = self.text(name)
        return None if said is None else parse_flag(said)

    def number(self, name: str) -> int | None:
        said = self.text(name)
        return None if said is None else parse_number(said)

    def files(self, name: str) -> list[UploadFile | str]:
        value = self._values.get(name)
        listed = value if isinstance(value, list) else [value]
        return [part for part in listed if isinstance(part, UploadFile | str)]


def parse_number(text: str) -> int:
    digits = text.strip().removesuffix(".0")
    if len(digits) > 12 or not digits.lstrip("-").isdecimal() or not digits.isascii():
        raise InvalidRequest("A number is expected here.")
    return int(digits)


def parse_rfc3339(text: str) -> datetime:
    """Parse a moment as RFC 3339; without a time zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text.strip()[:40])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidRequest("A moment is written as 2026-01-31T12:00:00Z.") from None


async def read_fields(request: Request) -> Fields:
    if is_form(request):
        return Fields(gather(await read_form(request, max_files=MAX_FILES, max_fields=MAX_FIELDS)))
    return Fields(await read_json_object(request))


def gather(form: FormData) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    for name, value in form.multi_items():
        values.setdefault(name.removesuffix("[]"), []).append(value)
    return values


# --- who asks, and how errors are written -----------------------------------------------------------------------------


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
