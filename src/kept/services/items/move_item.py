"""Move an item to another library."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.services.items.move_to_library import move_to_library
from kept.storage.database.engine import Connection


def move_item(tx: Connection, viewer: Viewer, item_id: UUID, library_id: UUID, *, now: datetime) -> Card:
    """One must be admin of both. What is added to any library stays in one's own, too."""
    return move_to_library(tx, viewer, item_id, library_id, now)
