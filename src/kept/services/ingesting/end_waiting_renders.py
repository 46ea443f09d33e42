"""End visits by the browser that nobody makes: there is no render worker, or `KEPT_RENDER` says never by now.

The pages end as on a server without a browser, so that nothing stays pending for ever.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.attempt import AttemptRecord, Failure
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.fetch.outcome import MESSAGES, FetchReason
from kept.logs import structlog
from kept.services.ingesting.fail_media import fail_media
from kept.services.ingesting.ingester import Ingester
from kept.services.pages.states import queue_follow_up
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.storage.jobs import claiming, queue

log = structlog.get_logger("kept.render")

AT_ONCE: Final = 100
# Between two visits a worker holds no job for a moment; in so many looks it would be seen.
LOOKS: Final = 5
LOOK_SECONDS: Final = 1.0


async def end_waiting_renders(ingester: Ingester, *, look_seconds: float = LOOK_SECONDS) -> int:
    """How many were ended."""
    now = ingester.now()
    due_before = now - _patience(ingester)
    waiting = await _list_waiting(ingester, due_before)
    captures = await _list_waiting(ingester, due_before, JobKind.CAPTURE)
    if not (waiting or captures) or await _is_somebody_rendering(ingester, look_seconds):
        return 0
    for media_id in captures:  # the article stays without its whole page
        await ingester.database.write(queue.cancel, JobKind.CAPTURE, media_id)
    ended = len(captures)
    while waiting:
        done = [await ingester.database.write(_end, ingester, media_id, due_before, now) for media_id in waiting]
        ended += sum(done)
        waiting = await _list_waiting(ingester, due_before) if any(done) else []
    log.warning("render.nobody_at_work", ended=ended, advice="Start a render worker, or set KEPT_RENDER=never.")
    return ended


def _patience(ingester: Ingester) -> timedelta:
    settings = ingester.settings
    return timedelta(seconds=0 if settings.render == "never" else settings.render_wait_seconds)


async def _list_waiting(ingester: Ingester, due_before: datetime, kind: JobKind = JobKind.RENDER) -> list[UUID]:
    return await ingester.database.read(claiming.list_waiting, kind, due_before=due_before, limit=AT_ONCE)


async def _is_somebody_rendering(ingester: Ingester, look_seconds: float) -> bool:
    """A long queue is no reason to give up: somebody works it off."""
    if ingester.settings.render == "never":
        return False
    lease_seconds = ingester.settings.lease_seconds
    for _ in range(LOOKS):
        now = ingester.now()
        for kind in (JobKind.RENDER, JobKind.CAPTURE):
            if await ingester.database.read(claiming.has_lease, kind, now=now, lease_seconds=lease_seconds):
                return True
        await asyncio.sleep(look_seconds)
    return False


def _end(tx: Connection, ingester: Ingester, media_id: UUID, due_before: datetime, now: datetime) -> bool:
    """False where a worker has it after all."""
    found = media.find_media(tx, media_id, lock=True)
    lease_seconds = ingester.settings.lease_seconds
    job = claiming.claim_waiting(
        tx, JobKind.RENDER, media_id, due_before=due_before, now=now, lease_seconds=lease_seconds
    )
    if job is None:
        return False
    if found is None:
        queue.finish(tx, job)
    elif _was_never_fetched(ingester, job, found):
        queue.finish(tx, job)
        queue_follow_up(tx, job, JobKind.INGEST, found, now)
    else:
        fail_media(tx, job, found, _explain(job.first_failure), now)
    return True


def _was_never_fetched(ingester: Ingester, job: ClaimedJob, found: Media) -> bool:
    """It was left to the browser because every page was; the worker's own fetch may do."""
    is_wanted = found.processing_status is ProcessingStatus.EXTRACTING and job.first_failure is None
    return is_wanted and ingester.settings.render != "always"


def _explain(first: AttemptRecord | None) -> Failure:
    """What the worker's own attempt was told stands."""
    if first is None or first.code is None:
        message = MESSAGES[FetchReason.NO_BROWSER]
        return Failure(FailureCode.INGEST_FAILED, message, FailureStage.RENDER)
    stage = FailureStage.FETCH if first.code == FailureCode.FETCH_FAILED else FailureStage.EXTRACT
    return Failure(FailureCode(first.code), first.message or "", stage, facts=first)
