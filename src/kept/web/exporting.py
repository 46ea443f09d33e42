"""The download behind the export form of the account page."""

from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from kept.api.access import KeptDep, Reader
from kept.api.requests import find_base_url
from kept.api.uploads import export_response
from kept.domain.errors import NotFound
from kept.domain.exporting import ExportFormat
from kept.services.exporting.libraries import export_library, prepare_export
from kept.web.i18n import N_

router = APIRouter(include_in_schema=False)

FORMAT_LABELS: Final = {
    ExportFormat.JSON: N_("Everything, for another Kept server (ZIP with JSON)"),
    ExportFormat.HTML: N_("Bookmarks for browsers and other apps (HTML)"),
    ExportFormat.CSV: N_("Spreadsheet (CSV)"),
    ExportFormat.EPUB: N_("E-book with all articles (EPUB)"),
    ExportFormat.FOLDER: N_("Web pages for offline reading (ZIP with HTML)"),
    ExportFormat.HIGHLIGHTS_MARKDOWN: N_("Highlights for Obsidian and other notes (ZIP with Markdown)"),
    ExportFormat.HIGHLIGHTS_CSV: N_("Highlights for Readwise (CSV)"),
    ExportFormat.HIGHLIGHTS_JSON: N_("Highlights as W3C annotations (JSON)"),
}


@router.get("/export")
async def download(
    viewer: Reader, request: Request, kept: KeptDep, format: ExportFormat, library: str = ""
) -> Response:
    base_url = find_base_url(request, kept)
    scope = await prepare_export(kept.images, viewer, parse_library(library), kept.now(), base_url=base_url)
    return export_response(await export_library(scope, format))


def parse_library(library: str) -> UUID | None:
    """Return the id of a library, or None for all libraries, for which the form sends an empty value."""
    try:
        return UUID(library) if library else None
    except ValueError:
        raise NotFound from None
