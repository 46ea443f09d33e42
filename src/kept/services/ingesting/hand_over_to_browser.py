"""Hand a page over to the browser: a render job takes the ingest job's place, and the snapshot is of no more use."""

from datetime import datetime

from kept.domain.attempt import AttemptRecord
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.services.ingesting.queue_follow_up import queue_follow_up
from kept.storage import lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def hand_over_to_browser(tx: Connection, job: ClaimedJob, found: Media, why: str, now: datetime) -> None:
    queue.finish(tx, job)
    media.delete_snapshot(tx, found.id)
    queue_follow_up(tx, job, JobKind.RENDER, found, now)
    record = AttemptRecord(message=why, attempt=job.attempt, handed_to="browser")
    lifecycles.apply_move(tx, found.state, ProcessingStatus.EXTRACTING, at=now, record=record)
