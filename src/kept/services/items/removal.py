"""Removing items, restoring them within thirty days, and undoing a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Forbidden, NotFound
from kept.domain.item import BulkResult, Card, ItemUndo
from kept.domain.paging import PageRequest, Position, parse_position, write_position
from kept.ids import new_id
from kept.services.items.moving import move_to_library
from kept.services.libraries.libraries import get_managed_library
from kept.services.pages.attaching import insert_item
from kept.services.pages.bulk import UNDO_WITHIN
from kept.services.pages.cards import get_card, put_reading_state
from kept.storage import events, items, removals, users
from kept.storage.database.engine import Connection, Database
from kept.storage.removals import RemovedItem
from kept.storage.search import index

RESTORE_WITHIN: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    item_id: UUID
    title: str | None
    url: str
    library_name: str
    removed_at: datetime
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class RemovedPage:
    entries: Sequence[RemovedEntry]
    next_cursor: str | None


def remove_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> BulkResult:
    """Take items out of their libraries; for thirty days they can be brought back.

    The result's `undo` is what `restore_items` asks for. If there is only one item, its error is raised.
    """
    return _remove(tx, viewer, list(dict.fromkeys(item_ids)), new_id(), now)


def _remove(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], batch_id: UUID, now: datetime) -> BulkResult:
    cards = _list_removable(tx, viewer, item_ids)
    removals.forget_before(tx, now - RESTORE_WITHIN)
    removals.remember_removed(tx, batch_id, viewer.user_id, cards, now)
    for card in cards:
        events.publish_item_event(tx, card.item, "removed", now)
        items.delete_item(tx, card.item.id)
    removed = tuple(card.item.id for card in cards)
    return BulkResult(removed, refused=len(item_ids) - len(cards), undo=batch_id if cards else None)


def _list_removable(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]) -> list[Card]:
    cards = []
    for item_id in item_ids:
        try:
            cards.append(get_card(tx, viewer, item_id, to_change=True))
        except (NotFound, Forbidden):
            if len(item_ids) == 1:
                raise
    return cards


def restore_items(tx: Connection, viewer: Viewer, batch_id: UUID, *, now: datetime) -> list[UUID]:
    """Bring back items that were removed together, within thirty days; returns those that came back.

    A page that was saved again meanwhile stays as it is.
    """
    removals.forget_before(tx, now - RESTORE_WITHIN)
    found = removals.take_batch(tx, batch_id, viewer.user_id, now)
    if not found:
        raise NotFound("This can no longer be undone.")
    return [removed.item.id for removed in found if restore_removed(tx, viewer, removed, now)]


def restore_removed(tx: Connection, viewer: Viewer, removed: RemovedItem, now: datetime) -> bool:
    """Put one removed item back into its library, as it was.

    Returns False where the page was saved again meanwhile: that item stays as it is.
    """
    item = removed.item
    get_managed_library(tx, viewer, item.library_id)
    present = items.find_item_of_media(tx, item.library_id, item.media_id)
    if present is not None:
        items.remember_merge(tx, item.id, present.id)
        return False
    if item.added_by is not None and not users.user_exists(tx, item.added_by):
        item = replace(item, added_by=None)
    insert_item(tx, item, removed.tags)
    events.publish_item_event(tx, item, "added", now)
    return True


def restore_removed_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> list[UUID]:
    """Bring chosen items back from the list of removed ones, each by itself; returns those that came back."""
    removals.forget_before(tx, now - RESTORE_WITHIN)
    found = removals.take_items(tx, item_ids, viewer.user_id, now)
    return [removed.item.id for removed in found if restore_removed(tx, viewer, removed, now)]


def list_removed(tx: Connection, viewer: Viewer, page: PageRequest, *, now: datetime) -> RemovedPage:
    """List what the viewer removed within the last thirty days, the latest first."""
    after = parse_position(page.cursor) if page.cursor else None
    rows = removals.list_removed(tx, viewer.user_id, after, limit=page.limit + 1)
    shown = [
        RemovedEntry(row.item_id, row.title, row.url, row.library_name, row.removed_at, row.removed_at + RESTORE_WITHIN)
        for row in rows[: page.limit]
        if row.removed_at > now - RESTORE_WITHIN
    ]
    if len(rows) <= page.limit:
        return RemovedPage(shown, None)
    last = rows[page.limit - 1]
    return RemovedPage(shown, write_position(Position(last.removed_at, last.item_id)))


def forget_removed_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]) -> int:
    """Delete removed items for good, before their thirty days are over; returns how many.

    Their media go with the next clean-up, unless another library holds them.
    """
    return removals.forget_items(tx, item_ids, viewer.user_id)


async def undo_batch(database: Database, viewer: Viewer, batch_id: UUID, *, now: datetime) -> list[UUID]:
    """Undo what the viewer changed or removed, by the id of its batch; returns the items that were restored.

    NotFound is raised if it can no longer be undone.
    """
    undone = await database.write(_undo, viewer, batch_id, now)
    return await database.write(restore_items, viewer, batch_id, now=now) if undone is None else undone


def _undo(tx: Connection, viewer: Viewer, batch_id: UUID, now: datetime) -> list[UUID] | None:
    removals.forget_undo_before(tx, now - UNDO_WITHIN)
    changes = removals.take_undo_batch(tx, batch_id, viewer.user_id)
    if changes is None:
        return None
    return [item_id for change in changes if (item_id := _undo_one(tx, viewer, change, now)) is not None]


def _undo_one(tx: Connection, viewer: Viewer, undo: ItemUndo, now: datetime) -> UUID | None:
    """Undo the change of one item; return None if it is gone, or the viewer may no longer change it."""
    is_shared = bool(undo.add_tags or undo.remove_tags or undo.library_id)
    try:
        card = get_card(tx, viewer, undo.item_id, to_change=is_shared)
        if undo.library_id is not None:
            card = move_to_library(tx, viewer, card.item.id, undo.library_id, now)
    except (NotFound, Forbidden):
        return None
    if undo.reading:
        put_reading_state(tx, viewer, card.media.id, replace(card.reading, **undo.reading), now)  # type: ignore[arg-type]
    if undo.add_tags or undo.remove_tags:
        _undo_tags(tx, card, undo, now)
    return card.item.id


def _undo_tags(tx: Connection, card: Card, undo: ItemUndo, now: datetime) -> None:
    items.remove_tags(tx, card.item.library_id, card.item.id, undo.remove_tags)
    items.add_tags(tx, card.item.library_id, card.item.id, undo.add_tags)
    items.update_item(tx, card.item.id, updated_at=now)
    index.index_items(tx, [card.item.id])
    events.publish_item_event(tx, card.item, "changed", now)
