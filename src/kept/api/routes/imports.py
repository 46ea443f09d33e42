"""Imports: upload a file, see its report, start, follow the progress."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from kept.api.access import KeptDep, Reader, Writer
from kept.api.envelope import ApiModel, Data, errors
from kept.api.uploads import receive_file
from kept.domain.imported import FolderUse
from kept.domain.importing import ImportState
from kept.domain.job import JobKind
from kept.services.importing.imports import (
    FileToImport,
    Progress,
    cancel_import,
    list_imports,
    read_progress,
    resume_import,
    start_import,
)
from kept.services.importing.running import write_outcomes

router = APIRouter(prefix="/api/v1/imports", tags=["imports"])

BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
        },
    }
}


class ProblemOut(ApiModel):
    reason: str
    count: int
    example: str | None


class SampleOut(ApiModel):
    url: str
    title: str | None
    tags: list[str]
    added_at: datetime | None
    is_read: bool
    library: str | None


class ReportOut(ApiModel):
    """What an import would do, found by checking the file."""

    rows: int
    imported: int
    already_there: int
    rejected: int
    with_article: int = Field(description="Links whose article is included in the file.")
    highlights: int = Field(description="Highlights in the file.")
    samples: list[SampleOut]
    problems: list[ProblemOut]


class ImportOut(ApiModel):
    id: UUID
    state: ImportState
    format: str | None
    file_name: str
    library_id: UUID
    folders: FolderUse
    rows_total: int | None
    imported: int
    already_there: int
    rejected: int
    report: ReportOut | None
    problem: str | None
    created_at: datetime
    updated_at: datetime


class ImportQuery(BaseModel):
    file_name: str = Field("", max_length=500, description="The name of the file.")
    library_id: UUID | None = None
    format: Annotated[str | None, Field(max_length=30, description="Detected automatically if left out.")] = None
    folders: FolderUse = FolderUse.TAGS
    dry_run: bool = Field(False, description="Stop after the check and wait for `start`.")


def import_out(progress: Progress) -> ImportOut:
    found, counts = progress.found, progress.counts
    return ImportOut.of(
        found,
        format=found.format or None,
        folders=found.folder_use,
        imported=counts.imported,
        already_there=counts.already_there,
        rejected=counts.rejected,
        report=found.report or None,
    )


@router.post("", status_code=202, responses=errors(403, 404, 409, 413, 429), openapi_extra=BODY)
async def post_import(
    request: Request, viewer: Writer, kept: KeptDep, query: Annotated[ImportQuery, Query()]
) -> Data[ImportOut]:
    """Upload a file, as the body itself or as the part `file` of a form. A worker checks it (`checking`), then imports
    it (`running`, `done`), or with `dry_run` waits for `start` (`checked`)."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    receiving = receive_file(request, max_bytes=kept.settings.max_import_bytes)
    async with kept.uploads.take(viewer.user_id), receiving as upload:
        name, start = query.file_name or upload.name, not query.dry_run
        to_import = FileToImport(upload.file, name, query.library_id, query.format, query.folders, start=start)
        made = await start_import(kept.importer, viewer, to_import, enqueue=True, now=kept.now())
    kept.notifier.notify(JobKind.IMPORT, made.id)
    return Data(data=import_out(await kept.read(read_progress, viewer, made.id)))


@router.get("")
async def get_imports(viewer: Reader, kept: KeptDep) -> Data[list[ImportOut]]:
    """List the user's imports, newest first."""
    return Data(data=[import_out(found) for found in await kept.read(list_imports, viewer)])


@router.get("/{import_id}", responses=errors(404))
async def get_import(import_id: UUID, viewer: Reader, kept: KeptDep) -> Data[ImportOut]:
    return Data(data=import_out(await kept.read(read_progress, viewer, import_id)))


@router.get(
    "/{import_id}/rows",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **errors(404)},
)
async def get_import_rows(import_id: UUID, viewer: Reader, kept: KeptDep) -> StreamingResponse:
    """Get the outcome of each row as CSV."""
    await kept.read(read_progress, viewer, import_id)
    headers = {"Content-Disposition": f'attachment; filename="import-{import_id}.csv"'}
    lines = write_outcomes(kept.database, import_id)
    return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/{import_id}/start", status_code=202, responses=errors(404, 409, 429))
async def post_start(import_id: UUID, viewer: Writer, kept: KeptDep) -> Data[ImportOut]:
    """Start a checked import, or resume a failed one where it stopped."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    await resume_import(kept.database, kept.notifier, viewer, import_id, now=kept.now())
    return Data(data=import_out(await kept.read(read_progress, viewer, import_id)))


@router.post("/{import_id}/cancel", responses=errors(404, 409))
async def post_cancel(import_id: UUID, viewer: Writer, kept: KeptDep) -> Data[ImportOut]:
    """Cancel an import. Links imported so far stay."""
    await cancel_import(kept.importer, viewer, import_id, now=kept.now())
    return Data(data=import_out(await kept.read(read_progress, viewer, import_id)))
