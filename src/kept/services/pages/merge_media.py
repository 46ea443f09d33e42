"""Merge two media that turned out to be one page: the loser's items, aliases, reading states and highlights
move to the winner.

All in the caller's transaction, so that nobody ever sees a moment without the page.
"""

from datetime import datetime
from uuid import UUID

from kept.domain.item import Item, fill_gaps, unite_reading_states
from kept.domain.job import JobKind
from kept.services.pages.queue_anchoring import queue_anchoring
from kept.storage import captures, events, highlights, items, libraries, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.storage.search import index


def merge_media(tx: Connection, loser_id: UUID, winner_id: UUID, *, actor_user_id: UUID | None, now: datetime) -> None:
    # Always in the same order, so that two merges cannot wait for each other.
    for media_id in sorted((loser_id, winner_id)):
        media.find_media(tx, media_id, lock=True)
    for item in _list_items(tx, loser_id, actor_user_id):
        _move_item(tx, item, winner_id, now)
    _move_reading_states(tx, loser_id, winner_id, now)
    highlights.move_highlights(tx, loser_id, winner_id, highlights.list_owners(tx, loser_id))
    queue_anchoring(tx, winner_id, now=now)
    captures.move_captures(tx, loser_id, winner_id)
    media.repoint_aliases(tx, loser_id, winner_id)
    media.remember_merge(tx, loser_id, winner_id)
    for kind in JobKind:
        queue.cancel(tx, kind, loser_id)
    media.delete_media(tx, loser_id)


def _list_items(tx: Connection, media_id: UUID, actor_user_id: UUID | None) -> list[Item]:
    """The actor's own library first."""
    found = items.list_items_of_media(tx, media_id)
    if actor_user_id is None:
        return found
    own = libraries.get_default_library_id(tx, actor_user_id)
    return sorted(found, key=lambda item: item.library_id != own)


def _move_item(tx: Connection, item: Item, winner_id: UUID, now: datetime) -> None:
    kept = items.find_item_of_media(tx, item.library_id, winner_id)
    if kept is None:
        items.update_item(tx, item.id, media_id=winner_id, updated_at=now)
        return
    older = min(kept, item, key=lambda one: (one.created_at, one.id))
    newer = item if older is kept else kept
    items.update_user_fields(tx, kept.id, fill_gaps(older, newer), now, url=older.url, created_at=older.created_at)
    items.add_tags(tx, item.library_id, kept.id, items.list_tags(tx, [item.id]).get(item.id, ()))
    index.index_items(tx, [kept.id])
    items.unite_row(tx, item.id, kept.id)
    events.publish_item_event(tx, item, "merged", now)


def _move_reading_states(tx: Connection, loser_id: UUID, winner_id: UUID, now: datetime) -> None:
    kept = items.list_reading_states(tx, winner_id)
    for user_id, state in items.list_reading_states(tx, loser_id).items():
        united = unite_reading_states(kept[user_id], state) if user_id in kept else state
        items.put_reading_state(tx, user_id, winner_id, united, now)
