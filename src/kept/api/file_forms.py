"""The form by which a file is saved as an item: its fields, and what they mean."""

from typing import Any, Final
from uuid import UUID

from fastapi.responses import JSONResponse

from kept.api.envelope import Data, is_whole
from kept.api.item_models import ItemOut, item_out
from kept.api.uploads import Upload
from kept.domain.errors import InvalidRequest
from kept.domain.item import MAX_TAGS, parse_user_fields
from kept.services.saving.uploads import FileToSave, PlacedUpload

TEXTS: Final = ("title", "excerpt", "note")
MAX_FIELDS: Final = MAX_TAGS + 20


def describe_form(*, file: str, url: str, required: list[str]) -> dict[str, Any]:
    """The request body for the OpenAPI document: FastAPI does not read the form, so that it cannot describe it."""
    properties = {
        "file": {"type": "string", "format": "binary", "description": file},
        "url": {"type": "string", "description": url},
        **{name: {"type": "string"} for name in TEXTS},
        "tags": {"type": "string", "description": "Separated by commas; may be sent more than once."},
        "library_id": {"type": "string", "description": "Empty: the user's own library."},
    }
    schema = {"type": "object", "required": required, "properties": properties}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def parse_file(upload: Upload, url: str, request_id: str) -> FileToSave:
    """Whose URL is the caller's to find."""
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
