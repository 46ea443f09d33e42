"""Take a file that somebody uploads and have it checked: by a worker, or by the caller."""

from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.import_formats.registry import BY_NAME
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, InvalidRequest
from kept.domain.imported import FolderUse
from kept.domain.importing import AT_WORK, Import, ImportState
from kept.ids import new_id
from kept.services.importing.importer import Importer
from kept.services.importing.queue_import import queue_import
from kept.services.libraries.choose_library import choose_library
from kept.storage import imports
from kept.storage.database.engine import Connection

MAX_FILE_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class FileToImport:
    file: BinaryIO
    name: str
    library_id: UUID | None = None
    format: str | None = None
    folder_use: FolderUse = FolderUse.TAGS
    start: bool = False
    """Go on by itself once the file was checked."""


async def start_import(
    importer: Importer, viewer: Viewer, upload: FileToImport, *, enqueue: bool, now: datetime
) -> Import:
    """With `enqueue` false it is the caller who goes on with it."""
    if upload.format is not None and upload.format not in BY_NAME:
        raise InvalidRequest(f"There is no such format; formats are {', '.join(BY_NAME)}.")
    library_id = await importer.database.read(_choose_target, viewer, upload.library_id)
    made = _describe(viewer, upload, library_id, now)
    await importer.blobs.put_file(made.blob_key, upload.file, "application/octet-stream")
    try:
        await importer.database.write(_insert, made, now, enqueue=enqueue)
    except BaseException:
        await importer.blobs.delete(made.blob_key)
        raise
    return made


def _choose_target(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    """One import at a time for each person: a worker has other things to do too."""
    library_id = choose_library(tx, viewer, wanted)
    if any(found.state in AT_WORK for found in imports.list_imports(tx, viewer.user_id)):
        raise Conflict("Another import of yours is running. Wait for it, or cancel it.")
    return library_id


def _describe(viewer: Viewer, upload: FileToImport, library_id: UUID, now: datetime) -> Import:
    import_id = new_id()
    return Import(
        id=import_id,
        user_id=viewer.user_id,
        library_id=library_id,
        format=upload.format or "",
        file_name=_clean_name(upload.name),
        blob_key=f"imports/{import_id.hex[-2:]}/{import_id.hex}",
        state=ImportState.CHECKING,
        rows_total=None,
        options={"folders": upload.folder_use, "start": upload.start},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )


def _clean_name(name: str) -> str:
    printable = "".join(character for character in name if character.isprintable())
    return printable.rpartition("/")[2].rpartition("\\")[2][:MAX_FILE_NAME] or "file"


def _insert(tx: Connection, made: Import, now: datetime, *, enqueue: bool) -> None:
    imports.insert_import(tx, made)
    if enqueue:
        queue_import(tx, made, now)
