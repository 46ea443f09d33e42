"""One action on several items, with what it takes to undo it."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Conflict, Forbidden, KeptError, NotFound
from kept.domain.item import BulkResult, Card, ItemUndo
from kept.ids import new_id
from kept.services.pages.cards import get_card
from kept.storage import removals
from kept.storage.database.engine import Connection

Refusals = tuple[type[KeptError], ...]
UNDO_WITHIN: Final = timedelta(days=1)


async def act_on_each(
    item_ids: Sequence[UUID],
    act: Callable[[UUID], Awaitable[object]],
    *,
    refusals: Refusals,
    never_raised: Refusals = (),
) -> BulkResult:
    """Act on each of several items, and count refusals. That of the only item is raised, unless `never_raised`."""
    wanted, done = list(dict.fromkeys(item_ids)), []
    for item_id in wanted:
        try:
            await act(item_id)
            done.append(item_id)
        except never_raised:
            continue
        except refusals:
            if len(wanted) == 1:
                raise
    return BulkResult(tuple(done), refused=len(wanted) - len(done))


def change_each(
    tx: Connection,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    change: Callable[[Card], ItemUndo],
    *,
    to_change: bool,
    now: datetime,
) -> BulkResult:
    """Apply a change to several items, count what changed, and remember how to undo it.

    Items that are gone or may not be changed are counted; if there is only one, its error is raised instead.
    """
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
    removals.forget_undo_before(tx, now - UNDO_WITHIN)
    removals.insert_batch(tx, batch_id, viewer.user_id, changed, now)
    return batch_id
