"""Keep a new copy of a page: a new media is made and fetched, and takes over once it is ready (`take_over`)."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Conflict
from kept.domain.item import Card, Item
from kept.domain.lifecycle import FINAL, ProcessingStatus, begin
from kept.domain.media import Media
from kept.ids import new_id, new_media_id
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.services.items.change_item import get_card
from kept.services.saving.save_link import LinkSaver
from kept.storage import copies, events, items, lifecycles, media
from kept.storage.database.engine import AsyncConnection
from kept.storage.search import index as search_index
from kept.urls.url import NormalisedUrl, get_url


async def recapture_item(
    saver: LinkSaver, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Media:
    """The media that is being made. Who asks while one is being made joins in."""
    async with saver.database.write() as tx:
        card = await get_card(tx, viewer, item_id, to_write=True)
        if not card.media.is_readable:
            raise Conflict("There is no copy of this page yet; try it again instead.")
        copy_id = await find_or_make_copy(tx, viewer, card, request_id, now)
        await hold(tx, viewer, card.item, copy_id, now)
        await events.tell_libraries(tx, card.media.id, "changed", now)
        made = await media.find_media(tx, copy_id)
        assert made is not None
    saver.notifier.notify(JobKind.INGEST, copy_id)
    return made


async def find_or_make_copy(
    tx: AsyncConnection, viewer: Viewer, card: Card, request_id: str | None, now: datetime
) -> UUID:
    newest = await copies.find_newest(tx, card.media)
    locked = await media.find_media(tx, newest.id, lock=True)
    earlier_id = locked.superseded_by if locked else None
    earlier = await media.find_media(tx, earlier_id) if earlier_id else None
    if earlier is not None and earlier.processing_status not in FINAL:
        return earlier.id
    # the address everybody knows, or the one this library saved; never somebody else's
    copy_id = await make_copy(tx, viewer, get_url(newest.canonical_url or card.item.url), request_id, now)
    await media.update_media(tx, newest.id, now, superseded_by=copy_id)
    if earlier is not None:  # it failed; whoever waited for it waits for this one
        await items.repoint_items(tx, earlier.id, copy_id)
    return copy_id


async def make_copy(
    tx: AsyncConnection, viewer: Viewer, url: NormalisedUrl, request_id: str | None, now: datetime
) -> UUID:
    """Without an alias or a canonical URL: those are the present copy's until this one is ready."""
    copy_id = new_media_id()
    await media.insert_media(tx, copy_id, str(url), ProcessingStatus.PENDING, now)
    await lifecycles.insert_transition(tx, begin(copy_id, ProcessingStatus.PENDING, at=now))
    job = NewJob(
        kind=JobKind.INGEST,
        subject_id=copy_id,
        host=url.host,
        priority=Priority.PERSON,
        run_at=now,
        actor_user_id=viewer.user_id,
        request_id=request_id,
    )
    await queue.enqueue(tx, job, now=now)
    return copy_id


async def hold(tx: AsyncConnection, viewer: Viewer, item: Item, copy_id: UUID, now: datetime) -> None:
    """The library that asked holds the copy from now on, beside the present one and out of its lists."""
    if await items.find_item_of_media(tx, item.library_id, copy_id) is not None:
        return
    held = replace(item, id=new_id(), media_id=copy_id, title=None, excerpt=None, note=None)
    await items.insert_item(tx, replace(held, added_by=viewer.user_id, created_at=now, updated_at=now))
    await search_index.index_item(tx, held)
