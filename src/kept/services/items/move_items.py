"""Move several items to another library."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult, ItemUndo
from kept.domain.item import Card
from kept.services.items.move_to_library import move_to_library
from kept.services.libraries.libraries import get_managed_library
from kept.services.pages.bulk import change_each
from kept.storage.database.engine import Connection


def move_items(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], library_id: UUID, *, now: datetime
) -> BulkResult:
    get_managed_library(tx, viewer, library_id)

    def move_one(card: Card) -> ItemUndo:
        if card.item.library_id == library_id:
            return ItemUndo(card.item.id)
        moved = move_to_library(tx, viewer, card.item.id, library_id, now)
        return ItemUndo(moved.item.id, library_id=card.item.library_id)

    return change_each(tx, viewer, item_ids, move_one, to_change=True, now=now)
