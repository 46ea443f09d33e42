"""Import pages: upload a file, see a preview, start the import, follow its progress."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, Writer
from kept.api.uploads import Upload, receive_file
from kept.content.import_formats.registry import BY_NAME, READERS
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.imported import FolderUse
from kept.domain.importing import AT_WORK, Import, ImportState
from kept.domain.job import JobKind
from kept.domain.message import Message
from kept.ids import find_id
from kept.services.importing.imports import (
    FileToImport,
    cancel_import,
    list_imports,
    read_progress,
    resume_import,
    start_import,
)
from kept.services.libraries.libraries import list_libraries
from kept.web.adding import writable
from kept.web.i18n import N_
from kept.web.rendering import Visit, Visiting, begin_visit, go_to
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

LABELS: Final = {name: reader.label for name, reader in BY_NAME.items()}
STATE_LABELS: Final = {
    ImportState.CHECKING: N_("Checking"),
    ImportState.CHECKED: N_("Ready to import"),
    ImportState.RUNNING: N_("Importing"),
    ImportState.DONE: N_("Done"),
    ImportState.CANCELLED: N_("Cancelled"),
    ImportState.FAILED: N_("Failed"),
}


@router.get("/import")
async def show_imports(visit: Visiting) -> Response:
    return await render_imports(visit)


async def render_imports(visit: Visit, status: int = 200, error: Message | None = None) -> Response:
    database, viewer = visit.kept.database, visit.viewer
    return visit.render(
        "imports.html",
        status,
        error=error,
        notice=None,
        imports=await database.read(list_imports, viewer),
        libraries=writable(await database.read(list_libraries, viewer)),
        readers=READERS,
        labels=LABELS,
        state_labels=STATE_LABELS,
    )


@router.post("/import")
async def submit_file(request: Request, viewer: Writer, kept: KeptDep) -> Response:
    """Receive the file. FastAPI's form would read an upload of any size before it knows who sends it."""
    try:
        await kept.rate_limits.require("save", str(viewer.user_id))
        receiving = receive_file(request, max_bytes=kept.settings.max_import_bytes)
        async with kept.uploads.take(viewer.user_id), receiving as upload:
            made = await start(kept, viewer, upload)
    except KeptError as error:
        return await render_imports(await begin_visit(request, viewer, kept), error.http_status, error.told)
    return go_to(f"/import/{made.id}")


async def start(kept: Kept, viewer: Viewer, upload: Upload) -> Import:
    """Have the file checked; the import begins when the user confirms."""
    if not upload.name:
        raise InvalidRequest(N_("Choose a file first."))
    chosen = upload.fields
    folder_use = FolderUse.LIBRARIES if chosen.get("folders") == FolderUse.LIBRARIES else FolderUse.TAGS
    library_id, format_ = find_id(chosen.get("library", "")), chosen.get("format") or None
    to_import = FileToImport(upload.file, upload.name, library_id, format_, folder_use)
    made = await start_import(kept.importer, viewer, to_import, enqueue=True, now=kept.now())
    kept.notifier.notify(JobKind.IMPORT, made.id)
    return made


@router.get("/import/{import_id}")
async def show_import(visit: Visiting, import_id: UUID) -> Response:
    progress = await visit.kept.read(read_progress, visit.viewer, import_id)
    found, at_work = progress.found, progress.found.state in AT_WORK
    return visit.render("import.html", progress=progress, found=found, is_at_work=at_work, labels=LABELS, notice=None)


@router.post("/import/{import_id}")
async def submit_wish(viewer: Writer, kept: KeptDep, import_id: UUID, action: Annotated[str, Form()] = "") -> Response:
    match action:
        case "start":
            await resume_import(kept.database, kept.notifier, viewer, import_id, now=kept.now())
        case "cancel":
            await cancel_import(kept.importer, viewer, import_id, now=kept.now())
        case _:
            raise InvalidRequest(N_("Unknown action."))
    return go_to(f"/import/{import_id}")
