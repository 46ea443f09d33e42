"""Documents: uploaded files that become items, what is known about each, its file, and images of its pages."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

from kept.api.access import KeptDep, Reader, Saver
from kept.api.envelope import ApiModel, Data, errors
from kept.api.images import image_response, is_known, not_modified_response, tag_of
from kept.api.item_models import ItemOut
from kept.api.openapi import describe_form
from kept.api.uploads import (
    MAX_FORM_FIELDS,
    PDF_POLICY,
    disposition,
    iterate_file,
    parse_file,
    receive_form,
    saved_response,
)
from kept.content.export_formats.article_file import make_file_name
from kept.domain.document import EXTENSIONS, DocumentType, is_shown_inline
from kept.services.reading.files import KeptDocument, OpenedCapture, open_document, read_facts
from kept.services.saving.uploads import save_document

router = APIRouter(prefix="/api/v1/items", tags=["items"])

# Nothing in a file may run or load anything, whatever a browser takes it for.
FILE_POLICY: Final = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'"
MAX_PAGE: Final = 100_000
# Leafing through a document requests more pages than anybody saves.
PAGES_PER_SAVE: Final = 5
FORM: Final = describe_form(
    file="PDF, EPUB, image, plain text or Markdown.",
    url="Where the file is from, if it has a URL.",
    required=["file"],
)


class OutlineEntryOut(ApiModel):
    title: str
    page: int = Field(description="From 1; the number of a chapter in an EPUB.")
    level: int = Field(description="From 0.")


class DocumentFileOut(ApiModel):
    content_type: str
    size: int


class DocumentOut(ApiModel):
    """A document; its text is the item's article."""

    type: DocumentType | None = Field(description="Null until it was read, and where it could not be.")
    page_count: int = Field(description="0 for what has no pages.")
    has_text: bool = Field(description="False for a scan: there are only images of its pages.")
    is_cut: bool = Field(description="True where only the beginning was read.")
    outline: list[OutlineEntryOut]
    file: DocumentFileOut | None = Field(
        description="At `/api/v1/items/{item_id}/document/file`; null if it is not kept."
    )


@router.post(
    "/file",
    status_code=201,
    response_model=Data[ItemOut],
    responses={
        200: {"model": Data[ItemOut], "description": "The library shows this very file already."},
        **errors(403, 404, 409, 413, 422, 429),
    },
    openapi_extra=FORM,
)
async def post_file(request: Request, viewer: Saver, kept: KeptDep) -> JSONResponse:
    """Save a file as a document: PDF, EPUB, image, plain text or Markdown. Others who save its URL do not get it."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    receiving = receive_form(request, kept.settings.limits.max_document_bytes, max_fields=MAX_FORM_FIELDS)
    async with kept.uploads.take(viewer.user_id), receiving as upload:
        asked = parse_file(upload, upload.fields.get("url", ""), request.state.request_id)
        saved = await save_document(
            kept.document_saver, viewer, asked, name=upload.name, content_type=upload.content_type
        )
    return saved_response(saved)


@router.get("/{item_id}/document", responses=errors(404))
async def get_document(item_id: UUID, viewer: Reader, kept: KeptDep) -> Data[DocumentOut]:
    """Get what is known about a document besides its text. 404 for an item that is a web page."""
    return Data(data=document_out(await kept.read(read_facts, viewer, item_id)))


@router.get(
    "/{item_id}/document/file",
    response_class=StreamingResponse,
    responses={200: {"content": {kind: {} for kind in EXTENSIONS}}, **errors(404)},
)
async def get_document_file(item_id: UUID, viewer: Reader, kept: KeptDep, download: bool = False) -> StreamingResponse:
    """Get the file of a document as it was saved. Browsers show a PDF or an image and download anything else."""
    opened = await open_document(kept.database, kept.blobs, viewer, item_id)
    return document_response(opened, is_shown=not download and is_shown_inline(opened.capture.content_type))


@router.get(
    "/{item_id}/document/pages/{page}.webp",
    response_class=Response,
    responses={200: {"content": {"image/webp": {}}}, 304: {"description": "Not modified"}, **errors(404, 429)},
)
async def get_document_page(
    item_id: UUID,
    page: Annotated[int, Path(ge=1, le=MAX_PAGE)],
    viewer: Reader,
    request: Request,
    kept: KeptDep,
) -> Response:
    """Get an image of a page of a PDF. It is drawn when it is first requested."""
    await kept.rate_limits.require("save", "document page", str(viewer.user_id), factor=PAGES_PER_SAVE)
    data = await kept.page_images.obtain(viewer, item_id, page)
    tag = tag_of(f"{item_id}/{page}/{len(data)}")
    response = not_modified_response(tag) if is_known(request, tag) else image_response(data, "image/webp", tag)
    # Not immutable: the item may show another file one day.
    response.headers["Cache-Control"] = "private, max-age=86400"
    return response


def document_out(found: KeptDocument) -> DocumentOut:
    facts, file = found.facts, found.file
    return DocumentOut(
        type=facts.type if facts else None,
        page_count=facts.page_count if facts else 0,
        has_text=facts.has_text if facts else False,
        is_cut=facts.is_cut if facts else False,
        outline=[OutlineEntryOut.model_validate(entry) for entry in facts.outline] if facts else [],
        file=DocumentFileOut.model_validate(file) if file else None,
    )


def document_response(opened: OpenedCapture, *, is_shown: bool) -> StreamingResponse:
    kind = opened.capture.content_type
    name = f"{make_file_name(opened.card.title or opened.card.item.url)}.{EXTENSIONS[kind]}"
    headers = {
        "Content-Disposition": disposition(name, is_shown=is_shown),
        "Content-Length": str(opened.capture.size),
        "Content-Security-Policy": PDF_POLICY if kind == "application/pdf" else FILE_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, no-store",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return StreamingResponse(iterate_file(opened.file), headers=headers, media_type=kind)
