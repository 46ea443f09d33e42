"""Move an item to another library."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.services.items.move_to_library import move_to_library
from kept.storage.database.engine import Database


async def move_item(database: Database, viewer: Viewer, item_id: UUID, library_id: UUID, *, now: datetime) -> Card:
    """One must be admin of both. What is added to any library stays in one's own, too."""
    return await database.write(move_to_library, viewer, item_id, library_id, now)
