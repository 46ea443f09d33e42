"""One change to several items at once: what a person selects in a list and then decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult, ItemUndo, undo_reading
from kept.domain.errors import InvalidRequest
from kept.domain.item import MAX_TAGS, Card, parse_tags
from kept.services.items.change_reading_state import ReadingChange, change_reading_state
from kept.services.pages.bulk import change_each
from kept.storage import events, items
from kept.storage.database.engine import Connection
from kept.storage.search import index


@dataclass(frozen=True, slots=True)
class ItemsChange:
    """Tags come on top of those that are there, or are taken from them."""

    reading: ReadingChange = field(default_factory=ReadingChange)
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    @property
    def changes_tags(self) -> bool:
        return bool(self.add_tags or self.remove_tags)


def change_items(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], change: ItemsChange, *, now: datetime
) -> BulkResult:
    """All that can be changed, in one transaction. An error if the only item can not."""
    added, removed = parse_tags(change.add_tags), parse_tags(change.remove_tags)
    parsed = ItemsChange(change.reading, added, removed)
    return _change(tx, viewer, item_ids, parsed, now)


def _change(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], change: ItemsChange, now: datetime) -> BulkResult:
    def change_one(card: Card) -> ItemUndo:
        state = change_reading_state(tx, viewer, card, change.reading, now)
        added, removed = _change_tags(tx, card, change, now)
        return ItemUndo(card.item.id, undo_reading(card.reading, state), add_tags=removed, remove_tags=added)

    return change_each(tx, viewer, item_ids, change_one, to_change=change.changes_tags, now=now)


def _change_tags(
    tx: Connection, card: Card, change: ItemsChange, now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that were really added, and those really removed."""
    added = tuple(tag for tag in change.add_tags if tag not in card.tags)
    removed = tuple(tag for tag in change.remove_tags if tag in card.tags)
    if not added and not removed:
        return (), ()
    if len(card.tags) + len(added) > MAX_TAGS:
        raise InvalidRequest(f"An item has at most {MAX_TAGS} tags.")
    items.remove_tags(tx, card.item.library_id, card.item.id, removed)
    items.add_tags(tx, card.item.library_id, card.item.id, added)
    items.update_item(tx, card.item.id, updated_at=now)  # programs that sync ask for what changed
    index.index_items(tx, [card.item.id])
    events.publish_item_event(tx, card.item, "changed", now)
    return added, removed
