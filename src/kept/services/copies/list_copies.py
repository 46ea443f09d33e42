"""The copies a library has of an item's page: the one shown, older ones, and one that is being made or failed."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.media import Media
from kept.services.items.change_item import get_card
from kept.services.reading.read_media import find_kept_at
from kept.storage import copies
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class PageCopy:
    item_id: UUID
    media: Media
    is_current: bool
    kept_at: datetime | None


async def list_copies(database: Database, viewer: Viewer, item_id: UUID) -> list[PageCopy]:
    async with database.read() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        newest = await copies.find_newest(tx, card.media)
        found = await copies.list_copies(tx, card.item.library_id, newest.id)
        shown = {copy.media.id for copy in found} & {newest.id} or {card.media.id}
        return [
            PageCopy(copy.item_id, copy.media, copy.media.id in shown, await find_kept_at(tx, viewer, copy.media))
            for copy in found
        ]
