"""Bring chosen items back from the list of removed ones, each by itself."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.services.items.remove_items import RESTORE_WITHIN
from kept.services.items.restore_removed import restore_removed
from kept.storage import removed_items
from kept.storage.database.engine import Connection


def restore_removed_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], *, now: datetime) -> list[UUID]:
    """Those that came back."""
    removed_items.forget_before(tx, now - RESTORE_WITHIN)
    found = removed_items.take_items(tx, item_ids, viewer.user_id, now)
    return [removed.item.id for removed in found if restore_removed(tx, viewer, removed, now)]
