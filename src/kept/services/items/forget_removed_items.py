"""Delete removed items for good, before their thirty days are over."""

from collections.abc import Sequence
from uuid import UUID

from kept.domain.account import Viewer
from kept.storage import removed_items
from kept.storage.database.engine import Connection


def forget_removed_items(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID]) -> int:
    """How many. Their media go with the next clean-up, unless another library holds them."""
    return removed_items.forget_items(tx, item_ids, viewer.user_id)
