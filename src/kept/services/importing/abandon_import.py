"""For the executor: the attempts at an import are used up. What was imported stays, and it can be resumed."""

from datetime import datetime

from kept.domain.failures import FailureCode
from kept.domain.importing import AT_WORK
from kept.domain.job import ClaimedJob
from kept.logs import structlog
from kept.services.importing.importer import Importer
from kept.storage import imports
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue

log = structlog.get_logger("kept.import")


async def abandon_import(importer: Importer, job: ClaimedJob, code: FailureCode, message: str) -> None:
    await importer.database.write(_abandon, job, message, importer.now())
    log.warning("import.given_up", import_id=str(job.subject_id), code=code)


def _abandon(tx: Connection, job: ClaimedJob, message: str, now: datetime) -> None:
    queue.finish(tx, job)
    found = imports.find_import(tx, job.subject_id, lock=True)
    if found is not None and found.state in AT_WORK:
        imports.fail_import(tx, found.id, message, now)
