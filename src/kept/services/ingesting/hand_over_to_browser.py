"""Hand a page over to the browser: a render job takes the ingest job's place, and the snapshot is of no more use."""

from dataclasses import replace
from datetime import datetime

from kept.domain.attempt import AttemptRecord
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.services.pages.states import queue_follow_up
from kept.storage import lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def hand_over_to_browser(tx: Connection, job: ClaimedJob, found: Media, why: AttemptRecord, now: datetime) -> None:
    """`why`: what the worker's own attempt came to; the render job knows it if that was a failure."""
    queue.finish(tx, job)
    media.delete_snapshot(tx, found.id)
    queue_follow_up(tx, job, JobKind.RENDER, found, now, first_failure=why if why.code else None)
    record = replace(why, attempt=job.attempt, handed_to="browser")
    lifecycles.apply_move(tx, found.state, ProcessingStatus.EXTRACTING, at=now, record=record)
