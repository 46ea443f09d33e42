"""Exports of libraries as files."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from kept.api.access import KeptDep, Reader
from kept.api.base_url import find_base_url
from kept.api.envelope import RequestModel, errors
from kept.api.files import export_response
from kept.domain.exporting import ExportFormat
from kept.services.exporting.libraries import KINDS, export_library, prepare_export

router = APIRouter(prefix="/api/v1/export", tags=["export"])

CONTENT: Final[dict[str, dict[str, object]]] = {kind.content_type.partition(";")[0]: {} for kind in KINDS.values()}


class ExportQuery(RequestModel):
    format: ExportFormat = ExportFormat.JSON
    library_id: UUID | None = None


@router.get("", response_class=Response, responses={200: {"content": CONTENT}, **errors(404)})
async def get_export(
    query: Annotated[ExportQuery, Query()], viewer: Reader, request: Request, kept: KeptDep
) -> Response:
    """Export all libraries of the user, or one of them, as one file.

    `json` is a ZIP with everything, which Kept can import; `html` bookmarks for browsers; `csv` for spreadsheets;
    `epub` an e-book with all articles; `folder` a ZIP with self-contained web pages. Of the user's highlights:
    `highlights-markdown` a ZIP with a Markdown file a page, `highlights-csv` what Readwise imports, `highlights-json`
    W3C annotations.
    """
    base_url = find_base_url(request, kept)
    scope = await prepare_export(kept.images, viewer, query.library_id, kept.now(), base_url=base_url)
    return export_response(await export_library(scope, query.format))
