"""Two media turn out to be one page: the loser's items, aliases and readers move to the winner, then it goes.

All in the caller's transaction, so that nobody ever sees a moment without the page.
"""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.exc import IntegrityError

from kept.domain.item import Item, ReadingState, join_notes
from kept.domain.lifecycle import RETRYABLE, ProcessingStatus
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind
from kept.storage import copies, items, libraries, media
from kept.storage.database.engine import AsyncConnection
from kept.storage.search import index as search_index


async def claim_canonical_url(
    tx: AsyncConnection, media_id: UUID, canonical_url: str, *, actor_user_id: UUID | None, now: datetime
) -> UUID:
    """Give the media its canonical URL, or merge it into the one that has it. Returns the media that stays."""
    # A new copy takes the URL over once it is ready; what came with a file must not stand for the page to others.
    if await copies.is_being_made(tx, media_id) or await media.is_private(tx, media_id):
        return media_id
    while True:
        winner_id = await media.find_by_canonical_url(tx, canonical_url)
        if winner_id == media_id:
            return media_id
        if winner_id is not None:
            await merge_media(tx, media_id, winner_id, actor_user_id=actor_user_id, now=now)
            return winner_id
        try:
            async with tx.begin_nested():
                await media.update_media(tx, media_id, now, canonical_url=canonical_url)
        except IntegrityError:  # somebody took it between our look and our claim: they are the winner
            continue
        await media.insert_alias_if_free(tx, canonical_url, media_id)
        return media_id


async def merge_media(
    tx: AsyncConnection, loser_id: UUID, winner_id: UUID, *, actor_user_id: UUID | None, now: datetime
) -> None:
    # Always in the same order, so that two merges cannot wait for each other.
    for media_id in sorted((loser_id, winner_id)):
        await media.find_media(tx, media_id, lock=True)
    for item in await in_order(tx, loser_id, actor_user_id):
        await move_item(tx, item, winner_id, now)
    await move_readers(tx, loser_id, winner_id, now)
    await media.repoint_aliases(tx, loser_id, winner_id)
    await media.remember_merge(tx, loser_id, winner_id)
    for kind in JobKind:
        await queue.cancel(tx, kind, loser_id)
    await media.delete_media(tx, loser_id)


async def in_order(tx: AsyncConnection, media_id: UUID, actor_user_id: UUID | None) -> list[Item]:
    """The actor's own library first."""
    found = await items.list_items_of_media(tx, media_id)
    if actor_user_id is None:
        return found
    own = await libraries.get_default_library_id(tx, actor_user_id)
    return sorted(found, key=lambda item: item.library_id != own)


async def move_item(tx: AsyncConnection, item: Item, winner_id: UUID, now: datetime) -> None:
    kept = await items.find_item_of_media(tx, item.library_id, winner_id)
    if kept is None:
        await items.update_item(tx, item.id, media_id=winner_id, updated_at=now)
        return
    older = min(kept, item, key=lambda one: (one.created_at, one.id))
    newer = item if older is kept else kept
    await items.update_item(
        tx,
        kept.id,
        title=older.title or newer.title,
        excerpt=older.excerpt or newer.excerpt,
        note=join_notes(older.note, newer.note),
        created_at=older.created_at,
        updated_at=now,
    )
    names = (await items.list_tags(tx, [item.id])).get(item.id, ())
    await items.add_tags(tx, item.library_id, kept.id, names)
    await search_index.index_items(tx, [kept.id])
    await items.remove_row(tx, item.id)


async def move_readers(tx: AsyncConnection, loser_id: UUID, winner_id: UUID, now: datetime) -> None:
    kept = await items.list_reading_states(tx, winner_id)
    for user_id, state in (await items.list_reading_states(tx, loser_id)).items():
        united = unite(kept[user_id], state) if user_id in kept else state
        await items.put_reading_state(tx, user_id, winner_id, united, now)


def unite(first: ReadingState, second: ReadingState) -> ReadingState:
    return replace(
        first,
        is_favourite=first.is_favourite or second.is_favourite,
        is_archived=first.is_archived and second.is_archived,
        read_at=min(filter(None, (first.read_at, second.read_at)), default=None),
        progress=max(first.progress, second.progress),
    )


def wants_fresh_attempt(status: ProcessingStatus) -> bool:
    """A new item on a page that failed before gives it one more chance."""
    return status in RETRYABLE and status is not ProcessingStatus.BLOCKED
