"""A media's item in a library: it is inserted, or a person's fields are added to the one that is there."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import NO_FIELDS, Item, UserFields, require_room_for_note
from kept.domain.placing import KnownPage, add_to
from kept.ids import new_id
from kept.services.pages.cards import put_reading_state
from kept.storage import copies, events, items, media
from kept.storage.database.engine import Connection
from kept.storage.search import index


def find_known_page(tx: Connection, library_id: UUID, url: str) -> KnownPage | None:
    """Find the page that a library knows under a URL, with the library's item of it.

    The page is locked before an item is inserted: a merge, which locks it and moves items, would wait for ours.
    """
    while (known := media.find_known_page(tx, library_id, url)) is not None:
        if media.hold(tx, known.media_id):
            return replace(known, held=find_held_item(tx, library_id, known.media_id))
    return None


def find_held_item(tx: Connection, library_id: UUID, media_id: UUID) -> Item | None:
    """Find a library's item of a page, or that of an older copy where the library does not hold the page itself."""
    return items.find_item_of_media(tx, library_id, media_id) or copies.find_older_item(tx, library_id, media_id)


def new_item(
    library_id: UUID, media_id: UUID, url: str, added_by: UUID, fields: UserFields = NO_FIELDS, *, now: datetime
) -> Item:
    """Return a page's new item in a library, with a person's fields but without tags."""
    said = fields.title, fields.excerpt, fields.note
    return Item(new_id(), library_id, media_id, url, added_by, *said, created_at=now, updated_at=now)


def insert_item(tx: Connection, item: Item, tags: Sequence[str] = ()) -> None:
    """Insert a new item into its library, with its tags, and index it."""
    items.insert_item(tx, item)
    items.add_tags(tx, item.library_id, item.id, tags)
    index.index_item(tx, item, tags)


def add_to_item(tx: Connection, held: Item, fields: UserFields, now: datetime) -> None:
    """Add a person's fields to the item that is there; a note that does not fit is refused."""
    require_room_for_note(held.note, fields.note)
    present = items.list_tags(tx, [held.id]).get(held.id, ()) if fields.tags else ()
    item, tags = add_to(held, present, fields, now)
    if item is not held:
        items.update_user_fields(tx, held.id, item, now)
        items.add_tags(tx, held.library_id, held.id, tags)
        index.index_items(tx, [held.id])


def unarchive_item(tx: Connection, viewer: Viewer, item: Item, now: datetime) -> bool:
    """Unarchive an item because its page is saved again, and put it where a new one would be in the list.

    Whoever saves a page again that they archived wants to read it.
    """
    card = items.find_card(tx, item.id, viewer.user_id)
    if card is None or not card.reading.is_archived:
        return False
    put_reading_state(tx, viewer, item.media_id, replace(card.reading, is_archived=False), now)
    items.update_item(tx, item.id, created_at=now, updated_at=now)
    events.publish_event(tx, item.media_id, "changed", now)
    return True
