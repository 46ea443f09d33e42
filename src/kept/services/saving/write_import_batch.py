"""Write a batch of imported links: pages, items, jobs, the index, in the transaction of the import."""

from datetime import datetime
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink
from kept.domain.capture import CaptureFormat
from kept.domain.document import type_of
from kept.domain.imported import copy_media_id
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import deserves_fresh_attempt
from kept.domain.synced import NumberKind
from kept.services.highlights.annotations import import_highlights
from kept.services.saving.import_batch import ImportBatch
from kept.storage import bulk, captures, highlights, items, media, numbers
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.storage.media import COPY_HEADER, Snapshot
from kept.storage.search import index


def write_import_batch(tx: Connection, batch: ImportBatch) -> None:
    private = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is not None]
    public = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is None]
    bulk.insert_media(tx, public, batch.now, is_private=False)
    bulk.insert_media(tx, private, batch.now, is_private=True)
    bulk.fill_copies(tx, [_copy_row(batch, key, link) for key, link in batch.new_pages.items() if link.copy])
    bulk.insert_image_assets(tx, [row for key, link in batch.new_pages.items() for row in _image_rows(key, link)])
    for key, link in batch.new_pages.items():
        for one in link.images.captures if link.images else ():
            made = captures.NewCapture(one.format, one.blob_key, one.content_type, one.size, one.digest)
            captures.put_capture(tx, key, made, batch.owner.user_id, batch.now)
            if one.format is CaptureFormat.DOCUMENT:  # read anew, by the job
                media.update_media(tx, key, batch.now, kind=type_of(one.content_type).kind)
    bulk.insert_aliases(tx, public)
    bulk.insert_private_pages(tx, batch.new_private)
    bulk.insert_snapshots(tx, {key: _snapshot(link, batch.now) for key, link in batch.new_pages.items() if link.body})
    # first, so that none of those the file brings is given to what comes without one
    numbers.advance(tx, batch.last_number)
    bulk.insert_items(tx, list(batch.new_items.values()))
    numbers.restore(tx, NumberKind.ITEM, batch.numbers)
    bulk.replace_pages(tx, batch.replaced, batch.now)
    for old_id, fresh_id in set(batch.replaced.values()):
        highlights.move_highlights(tx, old_id, fresh_id, highlights.list_followers(tx, old_id, fresh_id))
    for item in batch.changed_items.values():
        items.update_user_fields(tx, item.id, item, item.updated_at)
    new_tags = bulk.add_tags(tx, list(batch.tagged))
    known = {tag_id: batch.tag_numbers[key] for key, tag_id in new_tags.items() if key in batch.tag_numbers}
    numbers.restore(tx, NumberKind.TAG, known)
    said_of = {*batch.new_items, *batch.changed_items, *(item_id for _, item_id, _ in batch.tagged)}
    index.index_items(tx, list(said_of))
    for media_id in (key for key, link in batch.new_pages.items() if link.copy):
        index.index_page(tx, media_id)
    bulk.put_reading_states(tx, batch.owner.user_id, batch.new_states, batch.now)
    jobs = [_ingest_job(batch, media_id, link) for media_id, link in batch.new_pages.items()]
    queue.enqueue_new(tx, jobs, now=batch.now)
    _give_fresh_attempts(tx, batch)
    import_highlights(tx, batch.owner.user_id, batch.highlights, now=batch.now)


def _snapshot(link: PreparedLink, now: datetime) -> Snapshot:
    assert link.body is not None
    headers = {"content-type": "text/html; charset=utf-8"}
    if link.copy is None:
        return Snapshot(str(link.url), headers, link.body, now)
    kept_at = link.copy.page.get("kept_at")
    return Snapshot(
        str(link.url), headers | {COPY_HEADER: "1"}, link.body, kept_at if isinstance(kept_at, datetime) else now
    )


def _copy_row(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> dict[str, object]:
    """What the page said of itself; never its canonical URL, which is for what we fetched ourselves."""
    assert link.copy is not None
    newer = copy_media_id(batch.owner.id, link.copy.newer_key) if link.copy.newer_key else None
    said = {name: value for name, value in link.copy.page.items() if name != "kept_at"}
    key = link.images.screenshot_key if link.images else None
    return said | {
        "media_id": media_id,
        "thumbnail_key": key,
        "superseded_by": newer if newer in batch.known_copies else None,
    }


def _image_rows(media_id: UUID, link: PreparedLink) -> list[dict[str, object]]:
    """Each with its id, origin, key and type."""
    names = ("id", "origin_url", "blob_key", "content_type")
    kept = link.images.images if link.images else ()
    return [{"media_id": media_id, **dict(zip(names, image, strict=True))} for image in kept]


def _ingest_job(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> NewJob:
    """A page that came with the file is not fetched, and owes its host no politeness."""
    host = link.url.host if link.body is None else None
    run_at = max(batch.owner.crawl_at or batch.now, batch.now)
    return NewJob(JobKind.INGEST, media_id, host, Priority.IMPORT, run_at, batch.owner.user_id, request_id=None)


def _give_fresh_attempts(tx: Connection, batch: ImportBatch) -> None:
    """A new item on a page that failed gives it one more chance."""
    statuses = bulk.find_statuses(tx, batch.attached.keys())
    for media_id, status in statuses.items():
        if deserves_fresh_attempt(status):
            queue.enqueue(tx, _ingest_job(batch, media_id, batch.attached[media_id]), now=batch.now)
