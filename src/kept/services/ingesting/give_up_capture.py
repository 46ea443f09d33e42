"""The end of an attempt to capture a whole page that brought none: the page of it says why. For a unit of work."""

from datetime import datetime

from kept.domain.capture import CaptureFailure
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob
from kept.storage import captures, events, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


def give_up_capture(tx: Connection, job: ClaimedJob, code: FailureCode, message: str, *, now: datetime) -> None:
    is_there = media.find_media(tx, job.subject_id, lock=True) is not None
    queue.finish(tx, job)
    if is_there:
        captures.put_failure(tx, job.subject_id, CaptureFailure(code, message, now))
        events.publish_event(tx, job.subject_id, "changed", now)
