"""Copies of a page: the newest one is promoted, a private one is shown, an older one comes back."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.history import tell_kept_at
from kept.domain.item import Item
from kept.domain.media import Media
from kept.ids import new_id
from kept.services.pages.attaching import find_held_item, insert_item
from kept.services.pages.cards import get_card
from kept.services.pages.states import queue_anchoring
from kept.storage import articles, captures, copies, highlights, items, libraries
from kept.storage.database.engine import Connection
from kept.storage.media import find_media


@dataclass(frozen=True, slots=True)
class PageCopy:
    item_id: UUID
    media: Media
    is_current: bool
    kept_at: datetime | None


def carry_reading_states(tx: Connection, library_id: UUID, old_id: UUID, media_id: UUID, now: datetime) -> None:
    """Carry the reading states of a library's members over to the copy that replaces the one they read.

    Favourites stay; the reading progress is dropped, because the text may differ.
    """
    members = {member.user_id for member in libraries.list_members(tx, library_id)}
    for user_id, state in items.list_reading_states(tx, old_id).items():
        if user_id in members:
            items.put_reading_state(tx, user_id, media_id, replace(state, progress=0.0), now)


def promote_copy(tx: Connection, media_id: UUID, *, now: datetime) -> bool:
    """Let a new copy take its page's place. It runs in the transaction that makes the copy ready.

    The item of those who asked for it shows the new copy, and the old one stays beside it; nothing changes for
    everybody else who holds the old one. Highlights go along with those for whom the new copy is the page now. Until
    here the old copy was the page, so a new copy that fails changes nothing.

    Returns False for a media that is no new copy, or one that nobody wants any more.
    """
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
    """Let the page's item in this library show the new copy, and the new copy's item the old one.

    Returns the copy that was shown there, which may be older than the one that is replaced.
    """
    shown = find_held_item(tx, asked.library_id, replaced.id)
    if shown is None:  # it was taken out meanwhile, and the new copy has its own item
        return None
    items.unite_row(tx, asked.id, shown.id)
    items.update_item(tx, shown.id, media_id=media_id, updated_at=now)
    older = replace(shown, id=new_id(), title=None, excerpt=None, note=None, updated_at=now)
    insert_item(tx, older)
    carry_reading_states(tx, shown.library_id, older.media_id, media_id, now)
    return older.media_id


def restore_previous_copy(tx: Connection, media_id: UUID, now: datetime) -> None:
    """Give a page's identity back to the newest older copy that somebody holds, when its newest copy is removed.

    The highlights of those who hold that copy go back with it.
    """
    removed = find_media(tx, media_id)
    previous_id = copies.find_previous_copy(tx, media_id)
    if previous_id is not None and removed is not None and removed.is_readable:
        copies.pass_on_identity(tx, media_id, previous_id, now)
        holders = highlights.list_owners(tx, media_id) & highlights.list_holders(tx, previous_id)
        highlights.move_highlights(tx, media_id, previous_id, holders)
        queue_anchoring(tx, previous_id, now=now)


def show_private_copy(tx: Connection, held: Item, media_id: UUID, *, now: datetime) -> Item:
    """Let a library's item show a private copy of the page, beside which the copy it held before stays.

    `media_id` is new, and no library holds it yet. Returns the item as it is then.
    """
    items.update_item(tx, held.id, media_id=media_id, updated_at=now)
    former = replace(held, id=new_id(), title=None, excerpt=None, note=None, updated_at=now)
    insert_item(tx, former)
    captures.insert_earlier_copy(tx, former.id, held.id)
    carry_reading_states(tx, held.library_id, held.media_id, media_id, now)
    followers = highlights.list_followers(tx, held.media_id, media_id)
    highlights.move_highlights(tx, held.media_id, media_id, followers)
    return replace(held, media_id=media_id, updated_at=now)


def list_copies(tx: Connection, viewer: Viewer, item_id: UUID) -> list[PageCopy]:
    """List a library's copies of an item's page: the one shown, older ones, and one being made or failed."""
    card = get_card(tx, viewer, item_id)
    shown_id = copies.find_shown_item(tx, card.item.id)
    card = get_card(tx, viewer, shown_id) if shown_id is not None else card
    newest = copies.find_newest(tx, card.media)
    found = copies.list_copies(tx, card.item.library_id, newest.id)
    shown = {copy.media.id for copy in found} & {newest.id} or {card.media.id}
    return [
        PageCopy(copy.item_id, copy.media, copy.media.id in shown, _find_kept_at(tx, viewer, copy.media))
        for copy in found
    ]


def _find_kept_at(tx: Connection, viewer: Viewer, media: Media) -> datetime | None:
    return tell_kept_at(media, articles.find_known_since(tx, media.id, viewer.user_id))
