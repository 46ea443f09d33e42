"""File uploads, raw or as the part `file` of a form, streamed to disk and never held in memory as a whole.

A route calls this itself, after its policy, so that an upload without a credential is refused before it is read.
"""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, Final, cast

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from kept.domain.errors import InvalidRequest, TooLarge

IN_MEMORY: Final = 1024 * 1024
# What a form adds around the file.
FORM_ALLOWANCE: Final = 64 * 1024
MAX_FIELDS: Final = 20


@dataclass(frozen=True, slots=True)
class Upload:
    file: BinaryIO
    name: str
    fields: dict[str, str] = field(default_factory=dict)
    """The other fields of the form."""
    tags: tuple[str, ...] = ()
    """Its fields of that name, which may be there more than once."""
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
    """Without `needs_file`, an upload without a name is a form without a file."""
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
