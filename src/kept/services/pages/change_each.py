"""Apply a change to each of several items, count what really changed, and remember how to take it back.

For a unit of work.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult, ItemUndo
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.domain.item import Card
from kept.ids import new_id
from kept.services.pages.get_card import get_card
from kept.storage import undo_batches
from kept.storage.database.engine import Connection

UNDO_WITHIN: Final = timedelta(days=1)


def change_each(
    tx: Connection,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    change: Callable[[Card], ItemUndo],
    *,
    to_change: bool,
    now: datetime,
) -> BulkResult:
    """Items that are gone or may not be changed are counted; the only item is an error instead."""
    wanted, undos, refused = list(dict.fromkeys(item_ids)), [], 0
    for item_id in wanted:
        try:
            undos.append(change(get_card(tx, viewer, item_id, to_change=to_change)))
        except (NotFound, Forbidden, Conflict):
            if len(wanted) == 1:
                raise
            refused += 1
    changed = [undo for undo in undos if not undo.is_empty]
    undo_id = _remember(tx, viewer, changed, now) if changed else None
    return BulkResult(tuple(undo.item_id for undo in changed), len(undos) - len(changed), refused, undo_id)


def _remember(tx: Connection, viewer: Viewer, changed: Sequence[ItemUndo], now: datetime) -> UUID:
    batch_id = new_id()
    undo_batches.forget_before(tx, now - UNDO_WITHIN)
    undo_batches.insert_batch(tx, batch_id, viewer.user_id, changed, now)
    return batch_id
