"""Whole pages: saved as somebody saw them, captured as they look, and served."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from kept.api.access import KeptDep, Reader, Saver, Writer
from kept.api.envelope import ApiModel, Data, RequestModel, errors
from kept.api.item_models import ItemOut
from kept.api.openapi import describe_form
from kept.api.uploads import (
    MAX_FORM_FIELDS,
    PDF_POLICY,
    Upload,
    disposition,
    iterate_file,
    parse_file,
    receive_form,
    saved_response,
)
from kept.content.export_formats.article_file import make_file_name
from kept.content.whole_page.policy import POLICY, SANDBOX
from kept.domain.capture import CONTENT_TYPES, CaptureFormat
from kept.domain.errors import InvalidRequest
from kept.domain.failures import FailureCode
from kept.services.items.copying import WholePage, capture_item, capture_items, list_captures
from kept.services.reading.files import OpenedCapture, open_capture, open_original
from kept.services.saving.uploads import FileToSave, save_page

router = APIRouter(prefix="/api/v1/items", tags=["items"])

WHOLE_PAGE_POLICY: Final = f"sandbox {SANDBOX}; {POLICY}"
FILE_POLICY: Final = f"sandbox; {POLICY}"
POLICIES: Final = {CaptureFormat.HTML: WHOLE_PAGE_POLICY, CaptureFormat.PDF: PDF_POLICY}
ATTACHED_TYPE: Final = "application/octet-stream"
FORM: Final = describe_form(file="HTML, MHTML, or gzip of them.", url="Where the page is.", required=["url", "file"])


class CaptureOut(ApiModel):
    """A file of the whole page, at `/api/v1/items/{item_id}/page.{format}`."""

    format: CaptureFormat
    size: int
    created_at: datetime


class CaptureFailureOut(ApiModel):
    code: FailureCode
    message: str
    failed_at: datetime


class WholePageOut(ApiModel):
    captures: list[CaptureOut]
    is_queued: bool = Field(description="Whether a browser is yet to visit the page for it.")
    failure: CaptureFailureOut | None = Field(description="Why the last visit brought none.")


class CapturesIn(RequestModel):
    item_ids: Annotated[list[UUID], Field(min_length=1, max_length=500)]


class CapturesOut(ApiModel):
    queued: list[UUID]
    refused: int = Field(description="Items that are gone, not the user's to change, or have no whole page.")


class ServedFormat(StrEnum):
    """The ending of a whole page's file in its URL."""

    HTML = "html"
    MHTML = "mhtml"
    PNG = "png"
    PDF = "pdf"


class FieldNames(RequestModel):
    url_field: str = Field("url", min_length=1, max_length=100, description="The name of the field with the URL.")
    file_field: str = Field("file", min_length=1, max_length=100, description="The name of the field with the file.")


@router.post(
    "/page",
    status_code=201,
    response_model=Data[ItemOut],
    responses={
        200: {"model": Data[ItemOut], "description": "The library shows this very file already."},
        **errors(403, 404, 409, 413, 422, 429),
    },
    openapi_extra=FORM,
)
async def post_page(
    request: Request, viewer: Saver, kept: KeptDep, names: Annotated[FieldNames, Query()]
) -> JSONResponse:
    """Save a page as you see it, from a file your browser made (SingleFile's too). Only images that the file lacks are
    fetched from its site, and others who save the URL do not get this copy."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    receiving = receive_form(
        request, kept.settings.limits.max_page_upload_bytes, file_field=names.file_field, max_fields=MAX_FORM_FIELDS
    )
    async with kept.uploads.take(viewer.user_id), receiving as upload:
        saved = await save_page(kept.page_saver, viewer, parse_page(upload, names.url_field, request.state.request_id))
    return saved_response(saved)


@router.post("/{item_id}/capture", status_code=202, responses=errors(403, 404, 409, 429))
async def post_capture(item_id: UUID, viewer: Writer, request: Request, kept: KeptDep) -> Data[WholePageOut]:
    """Save a copy of the whole page: a browser visits it. 409 if that is not possible."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    await capture_item(kept.capturer, viewer, item_id, request_id=request.state.request_id, now=kept.now())
    return Data(data=whole_page_out(await kept.read(list_captures, viewer, item_id)))


@router.post("/captures", status_code=202, responses=errors(403, 404, 409, 429))
async def post_captures(body: CapturesIn, viewer: Writer, request: Request, kept: KeptDep) -> Data[CapturesOut]:
    """Save copies of the whole pages of several items."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    request_id = request.state.request_id
    done = await capture_items(kept.capturer, viewer, body.item_ids, request_id=request_id, now=kept.now())
    return Data(data=CapturesOut(queued=list(done.changed), refused=done.refused))


@router.get("/{item_id}/captures", responses=errors(404))
async def get_captures(item_id: UUID, viewer: Reader, kept: KeptDep) -> Data[WholePageOut]:
    """List the files of the whole page."""
    return Data(data=whole_page_out(await kept.read(list_captures, viewer, item_id)))


@router.get(
    "/{item_id}/page.{page_format}",
    response_class=StreamingResponse,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in CONTENT_TYPES.values()}}, **errors(404)},
)
async def get_page_file(
    item_id: UUID, page_format: ServedFormat, viewer: Reader, kept: KeptDep, download: bool = False
) -> StreamingResponse:
    """Get a file of the whole page. The HTML is static: nothing in it runs or loads anything."""
    wanted = CaptureFormat(page_format.value)
    opened = await open_capture(kept.database, kept.blobs, viewer, item_id, wanted)
    is_shown = not download and wanted is not CaptureFormat.MHTML
    return file_response(opened, wanted, is_shown=is_shown)


@router.get(
    "/{item_id}/upload",
    response_class=StreamingResponse,
    responses={200: {"content": {ATTACHED_TYPE: {}}}, **errors(404)},
)
async def get_upload(item_id: UUID, viewer: Reader, kept: KeptDep) -> StreamingResponse:
    """Download the HTML file as you uploaded it. 404 for everybody else."""
    opened = await open_original(kept.database, kept.blobs, viewer, item_id)
    response = file_response(opened, CaptureFormat.HTML, is_shown=False)
    response.headers["Content-Type"] = ATTACHED_TYPE
    response.headers["Content-Security-Policy"] = FILE_POLICY
    return response


def file_response(opened: OpenedCapture, wanted: CaptureFormat, *, is_shown: bool) -> StreamingResponse:
    name = f"{make_file_name(opened.card.title or opened.card.item.url)}.{wanted.value}"
    headers = {
        "Content-Disposition": disposition(name, is_shown=is_shown),
        "Content-Length": str(opened.capture.size),
        "Content-Security-Policy": POLICIES.get(wanted, FILE_POLICY),
        "Cache-Control": "private, no-store",
        "Referrer-Policy": "no-referrer",
        "X-Frame-Options": "SAMEORIGIN",
    }
    return StreamingResponse(iterate_file(opened.file), media_type=CONTENT_TYPES[wanted], headers=headers)


def whole_page_out(page: WholePage) -> WholePageOut:
    captures = [CaptureOut.model_validate(one) for one in page.captures]
    failure = CaptureFailureOut.model_validate(page.failure) if page.failure is not None else None
    return WholePageOut(captures=captures, is_queued=page.is_queued, failure=failure)


def parse_page(upload: Upload, url_field: str, request_id: str) -> FileToSave:
    if url_field not in upload.fields:
        raise InvalidRequest(f"The form has no field {url_field}.")
    return parse_file(upload, upload.fields[url_field], request_id)
