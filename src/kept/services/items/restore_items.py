"""Bring back items that were removed together, within thirty days."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.services.items.remove_items import RESTORE_WITHIN
from kept.services.items.restore_removed import restore_removed
from kept.storage import removed_items
from kept.storage.database.engine import Connection


def restore_items(tx: Connection, viewer: Viewer, batch_id: UUID, *, now: datetime) -> list[UUID]:
    """Those that came back. A page that was saved again meanwhile stays as it is."""
    removed_items.forget_before(tx, now - RESTORE_WITHIN)
    found = removed_items.take_batch(tx, batch_id, viewer.user_id, now)
    if not found:
        raise NotFound("This can no longer be undone.")
    return [removed.item.id for removed in found if restore_removed(tx, viewer, removed, now)]
