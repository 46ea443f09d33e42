"""Keep the file of a document: the blob first, its row after, which also says what kind the media is."""

from dataclasses import replace
from datetime import datetime
from typing import BinaryIO

from kept.domain.capture import CaptureFormat
from kept.domain.document import type_of
from kept.domain.errors import QuotaExceeded
from kept.domain.job import ClaimedJob
from kept.domain.lifecycle import ProcessingStatus
from kept.logs import structlog
from kept.services.ingesting.ingester import Ingester
from kept.services.pages.files import require_room, store_document_file
from kept.storage import captures, events, media
from kept.storage.captures import NewCapture
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue

log = structlog.get_logger("kept.documents")


async def keep_document_file(
    ingester: Ingester, job: ClaimedJob, file: BinaryIO, content_type: str, *, known_as: str | None = None
) -> NewCapture | None:
    """In the place of the one there was. None where whoever saved it has no room for it. `known_as`: the digest of the
    file it was made of."""
    blobs = ingester.files.blobs
    stored = await store_document_file(blobs, file, job.subject_id, content_type)
    stored = replace(stored, digest=known_as or stored.digest)
    quota = ingester.settings.whole_page_quota_bytes
    try:
        former = await ingester.database.write(_record, job, stored, quota, ingester.now())
    except QuotaExceeded:
        await blobs.delete(stored.blob_key)
        log.warning("documents.no_room", media_id=str(job.subject_id))
        return None
    if former is not None and former != stored.blob_key:
        await blobs.delete(former)
    return stored


def _record(tx: Connection, job: ClaimedJob, stored: NewCapture, quota_bytes: int, now: datetime) -> str | None:
    """The key of the file whose place it takes."""
    media_id, user_id = job.subject_id, job.actor_user_id
    found = media.find_media(tx, media_id, lock=True)  # before the job: see storage/jobs/queue.py
    queue.require_held(tx, job)  # a worker that was away for long must not replace what others have kept
    if found is None or found.processing_status is not ProcessingStatus.EXTRACTING:
        return None
    former = captures.find_capture(tx, media_id, CaptureFormat.DOCUMENT)
    more = stored.size - (former.size if former else 0)
    if user_id is not None and more > 0:
        require_room(tx, user_id, more, quota_bytes)
    captures.put_capture(tx, media_id, stored, user_id, now)
    media.update_media(tx, media_id, now, kind=type_of(stored.content_type).kind)
    events.publish_event(tx, media_id, "card", now)
    return former.blob_key if former else None
