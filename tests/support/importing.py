"""Imports in a test's own process: a user, a file, and what is in the database afterwards."""

import io
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import func, select

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.account import Scope, Viewer
from kept.domain.importing import Import
from kept.domain.item import Card
from kept.jobs.claiming import Postponed, claim
from kept.jobs.queue import JobKind, Queue
from kept.jobs.running import Handler, JobRunner, RunRules
from kept.services.accounts.create_user import create_user
from kept.services.importing.import_links import FileToImport, Progress, read_progress, start_import
from kept.services.importing.run_import import Importer, advance, give_up_import, run_import
from kept.storage import libraries, tables
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.engine import Database
from kept.storage.items import cards_from, select_cards
from kept.subprocesses.image_pool import ImagePool
from support.serving import RunningKept
from support.working import RULES


@dataclass(frozen=True)
class Owner:
    importer: Importer
    viewer: Viewer
    library_id: UUID

    @property
    def database(self) -> Database:
        return self.importer.database

    async def bring(self, data: bytes | str, **options: Any) -> Import:
        """Start an import, and do nothing of it yet."""
        file = io.BytesIO(data.encode() if isinstance(data, str) else data)
        brought = FileToImport(file, "file", start=True, **options)
        return await start_import(self.importer, self.viewer, brought, enqueue=False, now=utc_now())

    async def run(self, data: bytes | str, **options: Any) -> Progress:
        made = await self.bring(data, **options)
        await advance(self.importer, made.id)
        return await self.look(made.id)

    async def look(self, import_id: UUID) -> Progress:
        return await read_progress(self.database, self.viewer, import_id)

    async def cards(self, library_id: UUID | None = None) -> dict[str, Card]:
        """What a library holds, by address."""
        query = select_cards(self.viewer.user_id).where(tables.items.c.library_id == (library_id or self.library_id))
        async with self.database.read() as tx:
            return {card.item.url: card for card in await cards_from(tx, query)}

    async def count(self, table: Any) -> int:
        async with self.database.read() as tx:
            return int((await tx.execute(select(func.count()).select_from(table))).scalar_one())


async def make_owner(database: Database, folder: Path, name: str = "ann", **settings: Any) -> Owner:
    async with database.write() as tx:
        user = await create_user(tx, name=name, password_hash="x", is_admin=False, now=utc_now())
        library_id = await libraries.get_default_library_id(tx, user.id)
    chosen = Settings(data_dir=folder, **settings)
    # its children start when the first picture comes, which in these files is never
    pictures = ImagePool.from_settings(chosen)
    importer = Importer(database, DiskBlobs(folder / "blobs"), chosen, pictures)
    return Owner(importer, Viewer(user, frozenset(Scope)), library_id)


async def work_off_imports(running: RunningKept) -> None:
    """As a worker does, but only imports."""
    importer = running.kept.importer
    handlers = {JobKind.IMPORT: Handler(partial(run_import, importer), partial(give_up_import, importer))}
    runner = JobRunner(running.kept.database, handlers, RunRules.from_settings(running.kept.settings))
    while True:
        async with running.kept.database.write() as tx:
            job = await claim(tx, Queue.INGEST, [JobKind.IMPORT], now=utc_now(), rules=RULES)
        if job is None or isinstance(job, Postponed):
            return
        await runner.run(job)
