"""The copies a library has of an item's page: the one shown, older ones, and one that is being made or failed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.history import tell_kept_at
from kept.domain.media import Media
from kept.services.pages.get_card import get_card
from kept.storage import articles, copies
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class PageCopy:
    item_id: UUID
    media: Media
    is_current: bool
    kept_at: datetime | None


def list_copies(tx: Connection, viewer: Viewer, item_id: UUID) -> list[PageCopy]:
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


def _find_kept_at(tx: Connection, viewer: Viewer, found: Media) -> datetime | None:
    return tell_kept_at(found, articles.find_known_since(tx, found.id, viewer.user_id))
