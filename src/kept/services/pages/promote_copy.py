"""A new copy of a page is ready: it takes the page's place. Called in the transaction that makes it ready.

For those who asked for it, their item shows the new copy and the old one stays beside it; for everybody else who
holds the old one, nothing changes. Highlights go along with those for whom the new copy is the page now. Until here the
old copy was the page, so a new copy that fails changes nothing.
"""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.item import Item
from kept.domain.media import Media
from kept.ids import new_id
from kept.services.pages.carry_reading_states import carry_reading_states
from kept.storage import copies, highlights, items
from kept.storage.database.engine import Connection
from kept.storage.search import index


def promote_copy(tx: Connection, media_id: UUID, *, now: datetime) -> bool:
    """False for a media that is no new copy, or one that nobody wants any more."""
    replaced = copies.find_replaced(tx, media_id)
    asked = items.list_items_of_media(tx, media_id) if replaced is not None else []
    if replaced is None or not asked:
        return False
    shown_before = [_show_in(tx, item, replaced, media_id, now) for item in asked]
    for old_id in set(filter(None, shown_before)):
        highlights.move_highlights(tx, old_id, media_id, highlights.list_followers(tx, old_id, media_id))
    copies.pass_on_identity(tx, replaced.id, media_id, now)
    return True


def _show_in(tx: Connection, asked: Item, replaced: Media, media_id: UUID, now: datetime) -> UUID | None:
    """The page's item in this library goes on with the new copy; the item of the new copy goes on with the old.

    Returns the copy that was shown there, which may be older than the one that is replaced.
    """
    shown = items.find_item_of_media(tx, asked.library_id, replaced.id)
    shown = shown or copies.find_older_item(tx, asked.library_id, replaced.id)
    if shown is None:  # taken out meanwhile; the new copy stands for itself
        return None
    items.unite_row(tx, asked.id, shown.id)
    items.update_item(tx, shown.id, media_id=media_id, updated_at=now)
    older = replace(shown, id=new_id(), title=None, excerpt=None, note=None, updated_at=now)
    items.insert_item(tx, older)
    index.index_item(tx, older)
    carry_reading_states(tx, shown.library_id, older.media_id, media_id, now)
    return older.media_id
