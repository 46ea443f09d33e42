"""Take a file that somebody uploads and have it checked: by a worker, or by the caller."""

import io
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.import_formats.registry import BY_NAME
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.imported import FolderUse
from kept.domain.importing import Import, ImportState, WaitingLimits, plan_room
from kept.ids import new_id
from kept.services.importing.cancel_import import cancel_import
from kept.services.importing.importer import Importer
from kept.services.importing.queue_import import queue_import
from kept.services.importing.require_no_other_import import require_no_other_import
from kept.services.libraries.libraries import choose_library
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
    limits = WaitingLimits(importer.settings.max_waiting_imports, importer.settings.max_waiting_import_bytes)
    await _make_room(importer, viewer, made, limits, now)
    await importer.blobs.put_file(made.blob_key, upload.file, "application/octet-stream")
    try:
        await importer.database.write(_insert, made, limits, now, enqueue=enqueue)
    except BaseException:
        await importer.blobs.delete(made.blob_key)
        raise
    return made


def _choose_target(tx: Connection, viewer: Viewer, wanted: UUID | None) -> UUID:
    library_id = choose_library(tx, viewer, wanted)
    require_no_other_import(tx, viewer.user_id, lock=False)  # before the file is stored; again when it was
    return library_id


async def _make_room(importer: Importer, viewer: Viewer, made: Import, limits: WaitingLimits, now: datetime) -> None:
    """Files wait for days until somebody says to go on. One whose import failed goes when a new one comes."""
    waiting = await importer.database.read(imports.list_with_file, viewer.user_id)
    for found in plan_room(waiting, made.file_bytes, limits):
        await cancel_import(importer, viewer, found.id, now=now)


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
        options={"folders": upload.folder_use, "start": upload.start, "bytes": _measure(upload.file)},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )


def _measure(file: BinaryIO) -> int:
    """0 for a pipe, which only the command line reads, and goes on with at once."""
    if not file.seekable():
        return 0
    here = file.tell()
    size = file.seek(0, io.SEEK_END) - here
    file.seek(here)
    return size


def _clean_name(name: str) -> str:
    printable = "".join(character for character in name if character.isprintable())
    return printable.rpartition("/")[2].rpartition("\\")[2][:MAX_FILE_NAME] or "file"


def _insert(tx: Connection, made: Import, limits: WaitingLimits, now: datetime, *, enqueue: bool) -> None:
    require_no_other_import(tx, made.user_id)
    plan_room(imports.list_with_file(tx, made.user_id), made.file_bytes, limits)  # others may have come meanwhile
    imports.insert_import(tx, made)
    if enqueue:
        queue_import(tx, made, now)
