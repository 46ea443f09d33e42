"""Store what a visit of the browser brought of a whole page: MHTML, screenshot, PDF, and a static page of the first."""

from collections.abc import Iterable
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from kept.domain.capture import CONTENT_TYPES, CaptureFormat
from kept.domain.errors import PageUnreadable, QuotaExceeded, TooLarge
from kept.domain.job import ClaimedJob
from kept.domain.media import Media
from kept.fetch.browser.messages import MHTML_FILE, PDF_FILE, PNG_FILE
from kept.fetch.browser.rendered import Rendered
from kept.fetch.outcome import MESSAGES, FetchReason
from kept.logs import structlog
from kept.services.ingesting.ingester import Ingester
from kept.services.pages.files import PageFiles, require_room, store_capture_file, store_static_page
from kept.storage import captures, events, media
from kept.storage.captures import NewCapture, capture_key
from kept.storage.database.engine import Connection

log = structlog.get_logger("kept.captures")

NOTHING_CAME: Final = MESSAGES[FetchReason.BROWSER_FAILED]
FORMATS: Final = {MHTML_FILE: CaptureFormat.MHTML, PNG_FILE: CaptureFormat.PNG, PDF_FILE: CaptureFormat.PDF}


async def store_captures(ingester: Ingester, found: Media, rendered: Rendered, job: ClaimedJob) -> str | None:
    """The blobs first, their rows after. Why nothing was stored, for people; None if it was."""
    made = [await _store_file(ingester.files, found.id, name, file) for name, file in rendered.captures.items()]
    mhtml = rendered.captures.get(MHTML_FILE)
    static = await _make_static(ingester.files, found.id, str(rendered.final_url), mhtml) if mhtml else None
    made += [static] if static is not None else []
    if not made:
        return NOTHING_CAME
    quota = ingester.settings.whole_page_quota_bytes
    try:
        former = await ingester.database.write(_record, found.id, made, job.actor_user_id, quota, ingester.now())
    except QuotaExceeded as error:
        await _delete(ingester.files, (one.blob_key for one in made))
        log.warning("captures.no_room", media_id=str(found.id))
        return error.message
    await _delete(ingester.files, former)
    log.info("captures.stored", media_id=str(found.id), bytes=sum(one.size for one in made))
    return None


async def _store_file(files: PageFiles, media_id: UUID, name: str, file: BinaryIO) -> NewCapture:
    kind, key = FORMATS[name], capture_key(media_id, name)
    return await store_capture_file(files.blobs, key, file, kind, CONTENT_TYPES[kind])


async def _make_static(files: PageFiles, media_id: UUID, url: str, mhtml: BinaryIO) -> NewCapture | None:
    try:
        async with files.readers.start(mhtml) as reader:
            await reader.open(url, is_article=False)
            return await store_static_page(files, reader, media_id)
    except (PageUnreadable, TooLarge) as error:
        log.warning("captures.no_static_page", media_id=str(media_id), reason=error.message)
        return None


def _record(
    tx: Connection, media_id: UUID, made: list[NewCapture], user_id: UUID | None, quota_bytes: int, now: datetime
) -> list[str]:
    """The keys of those whose place they take."""
    if media.find_media(tx, media_id, lock=True) is None:  # merged or removed meanwhile
        return [one.blob_key for one in made]
    if user_id is not None:
        require_room(tx, user_id, sum(one.size for one in made), quota_bytes)
    formats = {one.format for one in made}
    former = [one.blob_key for one in captures.list_captures(tx, media_id) if one.format in formats]
    for one in made:
        captures.put_capture(tx, media_id, one, user_id, now)
    captures.delete_failure(tx, media_id)
    events.publish_event(tx, media_id, "changed", now)
    return former


async def _delete(files: PageFiles, keys: Iterable[str]) -> None:
    for key in keys:
        await files.blobs.delete(key)
