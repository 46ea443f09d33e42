"""Files in requests and in responses.

An upload, raw or as the part `file` of a form, is streamed to disk and never held in memory as a whole. A route calls
this itself, after its policy, so that an upload without a credential is refused before it is read.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, Final, cast
from urllib.parse import quote
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from kept.api.envelope import Data, is_whole
from kept.api.item_models import ItemOut, item_out
from kept.domain.errors import InvalidRequest, TooLarge
from kept.domain.item import MAX_TAGS, parse_user_fields
from kept.services.exporting.libraries import Export
from kept.services.saving.uploads import FileToSave, PlacedUpload

IN_MEMORY: Final = 1024 * 1024
# A form adds about this much around the file.
FORM_ALLOWANCE: Final = 64 * 1024
MAX_FIELDS: Final = 20


@dataclass(frozen=True, slots=True)
class Upload:
    file: BinaryIO
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    """The other fields of the form."""
    tags: tuple[str, ...] = ()
    """The values of the fields `tags`, of which a form may have several."""
    content_type: str | None = None
    """What the form calls the file."""


@asynccontextmanager
async def receive_file(request: Request, *, max_bytes: int) -> AsyncIterator[Upload]:
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        async with receive_form(request, max_bytes) as upload:
            yield upload
        return
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as file:
        size = 0
        async for chunk in request.stream():
            size += len(chunk)
            if size > max_bytes:
                raise TooLarge
            file.write(chunk)
        file.seek(0)
        yield Upload(cast("BinaryIO", file), request.query_params.get("file_name", ""))


@asynccontextmanager
async def receive_form(
    request: Request,
    max_bytes: int,
    *,
    file_field: str = "file",
    max_fields: int = MAX_FIELDS,
    needs_file: bool = True,
) -> AsyncIterator[Upload]:
    """Receive a form with a file. If `needs_file` is false, the upload of a form without one has no name."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise InvalidRequest("Send a form: multipart/form-data.")
    try:
        form = await request.form(max_files=1, max_fields=max_fields)
    except HTTPException as error:
        raise InvalidRequest("The form can't be read.") from error
    try:
        part = form.get(file_field)
        if not isinstance(part, UploadFile) and needs_file:
            raise InvalidRequest("The form has no file.")
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        tags = tuple(value for value in form.getlist("tags") if isinstance(value, str))
        if not isinstance(part, UploadFile):
            yield Upload(BytesIO(), "", fields, tags)
            return
        if (part.size or 0) > max_bytes:
            raise TooLarge
        yield Upload(part.file, part.filename or "", fields, tags, part.content_type)
    finally:
        await form.close()


# --- the form by which a file is saved as an item ---------------------------------------------------------------------


TEXTS: Final = ("title", "excerpt", "note")
MAX_FORM_FIELDS: Final = MAX_TAGS + 20


def parse_file(upload: Upload, url: str, request_id: str) -> FileToSave:
    """Return the file to save, with the fields of its form. The caller finds the URL."""
    if not all("\x00" not in text and is_whole(text) for text in (*upload.fields.values(), *upload.tags)):
        raise InvalidRequest("The fields must be text in valid Unicode, without NUL characters.")
    tags = (tag for text in upload.tags for tag in text.split(","))
    title, excerpt, note = (upload.fields.get(name) for name in TEXTS)
    fields = parse_user_fields(title, excerpt, note, tags)
    library_id = parse_library_id(upload.fields.get("library_id"))
    return FileToSave(upload.file, url, fields, library_id, request_id)


def parse_library_id(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidRequest("library_id is not an id.") from None


def saved_response(saved: PlacedUpload) -> JSONResponse:
    answer = Data[ItemOut](data=item_out(saved.card))
    return JSONResponse(answer.model_dump(mode="json"), 201 if saved.is_new else 200)


# --- responses with a file, in which nothing runs, whatever a browser takes it for ------------------------------------


CHUNK_BYTES: Final = 256 * 1024
# A browser's PDF viewer does not work in a sandbox; it runs nothing that the file contains.
PDF_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def disposition(name: str, *, is_shown: bool = False) -> str:
    """Return the value of `Content-Disposition`."""
    return f"{'inline' if is_shown else 'attachment'}; filename*=UTF-8''{quote(name)}"


def export_response(export: Export) -> Response:
    headers = {
        "Content-Disposition": disposition(export.name),
        # if a browser shows it instead: no scripts, no frames, nothing from other hosts
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "no-store",
    }
    return StreamingResponse(export.chunks, media_type=export.content_type, headers=headers)


async def iterate_file(file: BinaryIO) -> AsyncIterator[bytes]:
    with file:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk
