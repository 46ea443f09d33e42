"""A library shows a page as somebody saw it: the page's item there goes on with the private copy, and the copy it held
before stays beside it. For a unit of work."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Item
from kept.ids import new_id
from kept.services.pages.attach_item import Attached, ItemToAttach, attach_item
from kept.services.pages.carry_reading_states import carry_reading_states
from kept.services.pages.unarchive_item import unarchive_item
from kept.storage import captures, copies, highlights, items, media
from kept.storage.database.engine import Connection
from kept.storage.search import index


def show_private_copy(tx: Connection, viewer: Viewer, wanted: ItemToAttach, url: str, *, now: datetime) -> Attached:
    """`wanted.media_id` is new, and no library holds it yet; `url` is how its page is known."""
    held = _find_held(tx, wanted.library_id, url)
    captures.put_private_page(tx, wanted.library_id, url, wanted.media_id)
    if held is None:
        return attach_item(tx, wanted, now=now, is_new_media=True)
    _replace(tx, held, wanted.media_id, now)
    attached = attach_item(tx, wanted, now=now)
    unarchive_item(tx, viewer, attached.item, now)
    return attached


def _find_held(tx: Connection, library_id: UUID, url: str) -> Item | None:
    known_id = media.find_page(tx, library_id, url)
    if known_id is None:
        return None
    return items.find_item_of_media(tx, library_id, known_id) or copies.find_older_item(tx, library_id, known_id)


def _replace(tx: Connection, held: Item, media_id: UUID, now: datetime) -> None:
    items.update_item(tx, held.id, media_id=media_id, updated_at=now)
    former = replace(held, id=new_id(), title=None, excerpt=None, note=None, updated_at=now)
    items.insert_item(tx, former)
    captures.insert_earlier_copy(tx, former.id, held.id)
    index.index_item(tx, former)
    carry_reading_states(tx, held.library_id, held.media_id, media_id, now)
    followers = highlights.list_followers(tx, held.media_id, media_id)
    highlights.move_highlights(tx, held.media_id, media_id, followers)
