"""Pages that a browser made a file of: saved as somebody saw them."""

from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from kept.api.access import KeptDep, Saver
from kept.api.envelope import Data, RequestModel, errors, is_whole
from kept.api.routes.items import ItemOut, item_out
from kept.api.uploads import Upload, receive_form
from kept.domain.errors import InvalidRequest
from kept.domain.item import MAX_TAGS, parse_user_fields
from kept.services.captures.save_page import PageToSave, save_page

router = APIRouter(prefix="/api/v1/items", tags=["items"])

TEXTS: Final = ("title", "excerpt", "note")
MAX_FIELDS: Final = MAX_TAGS + 20
BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["url", "file"],
                    "properties": {
                        "url": {"type": "string", "description": "Where the page is."},
                        "file": {"type": "string", "format": "binary", "description": "HTML, MHTML, or gzip of them."},
                        **{name: {"type": "string"} for name in TEXTS},
                        "tags": {"type": "string", "description": "Separated by commas; may be sent more than once."},
                        "library_id": {"type": "string", "format": "uuid"},
                    },
                }
            },
        },
    }
}


class FieldNames(RequestModel):
    url_field: str = Field("url", min_length=1, max_length=100, description="The name of the field with the URL.")
    file_field: str = Field("file", min_length=1, max_length=100, description="The name of the field with the file.")


@router.post(
    "/page",
    status_code=201,
    responses={
        200: {"model": Data[ItemOut], "description": "The library shows this very file already."},
        **errors(403, 404, 409, 413, 422, 429),
    },
    openapi_extra=BODY,
)
async def post_page(
    request: Request, viewer: Saver, kept: KeptDep, names: Annotated[FieldNames, Query()]
) -> Data[ItemOut]:
    """Save a page as you see it, from a file your browser made (SingleFile's too). Nothing is fetched from its site but
    images the file lacks, and nobody else who saves the URL is led to it."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    receiving = receive_form(
        request, kept.settings.max_page_upload_bytes, file_field=names.file_field, max_fields=MAX_FIELDS
    )
    async with kept.uploads.take(viewer.user_id), receiving as upload:
        saved = await save_page(kept.page_saver, viewer, page_of(upload, names.url_field, request.state.request_id))
    answer = Data[ItemOut](data=item_out(saved.card))
    return JSONResponse(answer.model_dump(mode="json"), 201 if saved.is_new else 200)  # type: ignore[return-value]


def page_of(upload: Upload, url_field: str, request_id: str) -> PageToSave:
    if not all("\x00" not in text and is_whole(text) for text in (*upload.fields.values(), *upload.tags)):
        raise InvalidRequest("The fields must be text in valid Unicode, without NUL characters.")
    if url_field not in upload.fields:
        raise InvalidRequest(f"The form has no field {url_field}.")
    tags = (tag for text in upload.tags for tag in text.split(","))
    fields = parse_user_fields(*(upload.fields.get(name) for name in TEXTS), tags)
    library_id = parse_id(upload.fields.get("library_id"))
    return PageToSave(upload.file, upload.fields[url_field], fields, library_id, request_id)


def parse_id(text: str | None) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidRequest("library_id is not an id.") from None
