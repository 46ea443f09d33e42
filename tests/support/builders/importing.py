"""Imports in a test's own process: a file, and what is in the database afterwards."""

import io
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.importing import Import, ImportedRow
from kept.domain.job import JobKind, Queue
from kept.jobs.running import Handler, JobRunner, RunRules
from kept.services.importing.files import Importer
from kept.services.importing.imports import FileToImport, Progress, abandon_import, read_progress, start_import
from kept.services.importing.running import Slice, advance_import, run_import
from kept.storage import imports
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.engine import Database
from kept.subprocesses.images import ImagePool
from support.builders.jobs import RULES
from support.builders.libraries import Owner, make_owner
from support.servers.serving import Answer, Person, RunningKept


@dataclass(frozen=True)
class ImportingOwner(Owner):
    """One person who imports files into their own library."""

    importer: Importer

    async def bring(self, data: bytes | str, **options: Any) -> Import:
        """Start an import, and do nothing of it yet."""
        file = io.BytesIO(data.encode() if isinstance(data, str) else data)
        upload = FileToImport(file, "file", **{"start": True, **options})
        return await start_import(self.importer, self.viewer, upload, enqueue=False, now=utc_now())

    async def advance(self, import_id: UUID, *, ends_at: float | None = None) -> bool:
        """To the end, or until that moment of the monotonic clock."""
        return await advance_import(self.importer, import_id, Slice(ends_at=ends_at))

    async def run(self, data: bytes | str, **options: Any) -> Progress:
        made = await self.bring(data, **options)
        await self.advance(made.id)
        return await self.look(made.id)

    async def look(self, import_id: UUID) -> Progress:
        return await self.database.read(read_progress, self.viewer, import_id)

    def rows(self, import_id: UUID) -> list[ImportedRow]:
        """The first of them."""
        return self.database.run_read(imports.list_rows, import_id, after=-1)


def make_importing_owner(database: Database, folder: Path, name: str = "ann", **settings: Any) -> ImportingOwner:
    owner, chosen = make_owner(database, name), Settings(data_dir=folder, **settings)
    # its children start when the first image comes, which in these files is never
    images = ImagePool.from_settings(chosen)
    importer = Importer.from_settings(chosen, database, DiskBlobs(folder / "blobs"), images)
    return ImportingOwner(owner.database, owner.viewer, owner.library_id, importer)


async def upload_import(person: Person, data: Any, query: str = "", **headers: str) -> Answer:
    """The bytes of a file, or a form that has one."""
    kind = {"Content-Type": "application/octet-stream"} if isinstance(data, bytes) else {}
    return await person.send(f"/api/v1/imports{query}", data, **kind, **headers)


async def work_off_imports(running: RunningKept) -> None:
    """As a worker does, but only imports."""
    importer = running.kept.importer
    handlers = {JobKind.IMPORT: Handler(partial(run_import, importer), partial(abandon_import, importer))}
    runner = JobRunner(running.kept.database, handlers, RunRules.from_settings(running.kept.settings))
    while (job := await runner.claim(Queue.INGEST, RULES)) is not None:
        await runner.run(job)
