"""A media's place in a library: an item is inserted here, or what was said is added to the one that is there."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import NO_FIELDS, Item, UserFields, fill_gaps, require_room_for_note
from kept.ids import new_id
from kept.services.pages.cards import put_reading_state
from kept.storage import copies, events, items
from kept.storage.database.engine import Connection
from kept.storage.search import index


@dataclass(frozen=True, slots=True)
class ItemToAttach:
    library_id: UUID
    media_id: UUID
    url: str
    added_by: UUID
    fields: UserFields = NO_FIELDS


@dataclass(frozen=True, slots=True)
class Attached:
    item: Item
    """It may hold another media: a library keeps the copy it has of a page."""
    is_new: bool


def attach_item(tx: Connection, wanted: ItemToAttach, *, now: datetime, is_new_media: bool = False) -> Attached:
    """Put a media into a library: a new item, or what was said added to the item that is there.

    Saving again adds tags and fills what is empty; it never overwrites. `is_new_media` is for a media that no library
    can hold yet.
    """
    held = None if is_new_media else _find_held_item(tx, wanted.library_id, wanted.media_id)
    if held is None:
        return Attached(_insert(tx, wanted, now), is_new=True)
    if wanted.fields != NO_FIELDS:
        require_room_for_note(held.note, wanted.fields.note)
        items.update_user_fields(tx, held.id, fill_gaps(held, wanted.fields), now)
        items.add_tags(tx, held.library_id, held.id, wanted.fields.tags)
        index.index_items(tx, [held.id])
    return Attached(held, is_new=False)


def _find_held_item(tx: Connection, library_id: UUID, media_id: UUID) -> Item | None:
    item = items.find_item_of_media(tx, library_id, media_id)
    return item or copies.find_older_item(tx, library_id, media_id)


def _insert(tx: Connection, wanted: ItemToAttach, now: datetime) -> Item:
    fields = wanted.fields
    item = Item(
        id=new_id(),
        library_id=wanted.library_id,
        media_id=wanted.media_id,
        url=wanted.url,
        added_by=wanted.added_by,
        title=fields.title,
        excerpt=fields.excerpt,
        note=fields.note,
        created_at=now,
        updated_at=now,
    )
    items.insert_item(tx, item)
    items.add_tags(tx, item.library_id, item.id, fields.tags)
    index.index_item(tx, item, fields.tags)
    return item


def unarchive_item(tx: Connection, viewer: Viewer, item: Item, now: datetime) -> bool:
    """Bring an item back from the archive because its page is saved again, to where a new one would be in the list.

    Who saves a page again that they archived wants to read it.
    """
    card = items.find_card(tx, item.id, viewer.user_id)
    if card is None or not card.reading.is_archived:
        return False
    put_reading_state(tx, viewer, item.media_id, replace(card.reading, is_archived=False), now)
    items.update_item(tx, item.id, created_at=now, updated_at=now)
    events.publish_event(tx, item.media_id, "changed", now)
    return True
