"""Moving items to another library."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import BulkResult, Card, Item, ItemUndo, fill_gaps
from kept.services.libraries.libraries import get_managed_library
from kept.services.pages.attaching import find_held_item, insert_item, new_item
from kept.services.pages.bulk import change_each
from kept.services.pages.cards import get_card
from kept.storage import copies, events, items, libraries
from kept.storage.database.engine import Connection
from kept.storage.search import index


def move_item(tx: Connection, viewer: Viewer, item_id: UUID, library_id: UUID, *, now: datetime) -> Card:
    """Move an item to another library (`move_to_library`)."""
    return move_to_library(tx, viewer, item_id, library_id, now)


def move_items(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], library_id: UUID, *, now: datetime
) -> BulkResult:
    """Move several items to another library."""
    get_managed_library(tx, viewer, library_id)

    def move_one(card: Card) -> ItemUndo:
        if card.item.library_id == library_id:
            return ItemUndo(card.item.id)
        moved = move_to_library(tx, viewer, card.item.id, library_id, now)
        return ItemUndo(moved.item.id, library_id=card.item.library_id)

    return change_each(tx, viewer, item_ids, move_one, to_change=True, now=now)


def move_to_library(tx: Connection, viewer: Viewer, item_id: UUID, library_id: UUID, now: datetime) -> Card:
    """Move an item to another library, with its fields, its tags and its older copies.

    The viewer must be admin of both. What is added to any library stays in one's own, too.
    """
    card = get_card(tx, viewer, item_id, to_change=True)
    get_managed_library(tx, viewer, library_id)
    if card.item.library_id == library_id:
        return card
    events.publish_event(tx, card.media.id, "removed", now)
    moved_id = _move_with_copies(tx, card, library_id, now)
    own_id = libraries.get_default_library_id(tx, viewer.user_id)
    if find_held_item(tx, own_id, card.media.id) is None:
        insert_item(tx, new_item(own_id, card.media.id, card.item.url, viewer.user_id, now=now))
    events.publish_event(tx, card.media.id, "added", now)
    return get_card(tx, viewer, moved_id)


def _move_with_copies(tx: Connection, card: Card, library_id: UUID, now: datetime) -> UUID:
    for copy in copies.list_copies(tx, card.item.library_id, card.media.id):
        if copy.item_id != card.item.id:
            _move_older(tx, copy, library_id, now)
    present = items.find_item_of_media(tx, library_id, card.media.id)
    if present is not None:
        return _unite(tx, card, present, now)
    items.replace_tags(tx, card.item.library_id, card.item.id, ())
    items.update_item(tx, card.item.id, library_id=library_id, updated_at=now)
    items.add_tags(tx, library_id, card.item.id, card.tags)
    index.index_items(tx, [card.item.id])
    return card.item.id


def _move_older(tx: Connection, copy: copies.Copy, library_id: UUID, now: datetime) -> None:
    present = items.find_item_of_media(tx, library_id, copy.media.id)
    if present is None:
        items.update_item(tx, copy.item_id, library_id=library_id, updated_at=now)
    else:
        items.unite_row(tx, copy.item_id, present.id)


def _unite(tx: Connection, card: Card, present: Item, now: datetime) -> UUID:
    """Merge an item into the one that a library has of the page: fields that are set there stay, gaps are filled."""
    items.update_user_fields(tx, present.id, fill_gaps(present, card.item), now)
    items.add_tags(tx, present.library_id, present.id, card.tags)
    index.index_items(tx, [present.id])
    items.unite_row(tx, card.item.id, present.id)
    return present.id
