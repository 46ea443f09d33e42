"""The pages of which only the card was saved, for whoever runs the server."""

from uuid import UUID

from kept.storage import media
from kept.storage.database.engine import Database


async def list_card_only(database: Database) -> list[UUID]:
    """Oldest first."""
    return await database.read(media.list_card_only)
