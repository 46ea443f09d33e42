"""The form that takes libraries away."""

from typing import Final
from uuid import UUID

from fastapi import APIRouter, Response

from kept.api.access import KeptDep, Reader
from kept.api.routes.exports import export_answer
from kept.domain.errors import NotFound
from kept.services.exporting.export_library import ExportFormat, export_library
from kept.services.exporting.prepare_export import prepare_export

router = APIRouter()

FORMAT_WORDS: Final = {
    ExportFormat.JSON: "Everything, to move to another Kept (ZIP with JSON)",
    ExportFormat.HTML: "Bookmarks, for browsers and other services (HTML)",
    ExportFormat.CSV: "A table, for spreadsheets (CSV)",
    ExportFormat.EPUB: "A book of all articles (EPUB)",
    ExportFormat.FOLDER: "Pages that open anywhere (ZIP with HTML)",
}


@router.get("/export")
async def download(viewer: Reader, kept: KeptDep, format: ExportFormat, library: str = "") -> Response:
    scope = await prepare_export(kept.images, viewer, parse_choice(library), kept.now())
    return export_answer(await export_library(scope, format))


def parse_choice(library: str) -> UUID | None:
    """The form sends nothing for all of them."""
    try:
        return UUID(library) if library else None
    except ValueError:
        raise NotFound from None
