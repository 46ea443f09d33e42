"""Go on with an import: a person's yes after the check; or, after a failure or a crash, from where it stopped."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.importing import Import, ImportState, plan_crawl, require_state
from kept.domain.job import JobKind
from kept.jobs.notifier import Notifier
from kept.services.importing.get_import import get_import
from kept.services.importing.queue_import import queue_import
from kept.services.importing.require_no_other_import import require_no_other_import
from kept.storage import imports
from kept.storage.database.engine import Connection, Database


async def resume_import(
    database: Database, notifier: Notifier, viewer: Viewer, import_id: UUID, *, enqueue: bool = True, now: datetime
) -> Import:
    """With `enqueue` false it is the caller who goes on with it."""
    found = await database.write(_resume, viewer, import_id, now, enqueue=enqueue)
    if enqueue:
        notifier.notify(JobKind.IMPORT, import_id)
    return found


def _resume(tx: Connection, viewer: Viewer, import_id: UUID, now: datetime, *, enqueue: bool) -> Import:
    get_import(tx, viewer, import_id)  # what is not there is told first
    require_no_other_import(tx, viewer.user_id, besides=import_id)
    found = get_import(tx, viewer, import_id, lock=True)
    require_state(found, ImportState.CHECKED, ImportState.FAILED, ImportState.RUNNING)
    state = ImportState.CHECKING if found.report is None else ImportState.RUNNING
    options = {**found.options, "start": True, "crawl_at": plan_crawl(found.rows_total or 0, now=now)}
    imports.update_import(tx, import_id, now, state=state, problem=None, options=options)
    if enqueue:
        queue_import(tx, found, now)
    return get_import(tx, viewer, import_id)
