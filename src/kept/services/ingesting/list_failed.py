"""The pages that failed and can be tried again, for whoever runs the server."""

from uuid import UUID

from kept.storage import media
from kept.storage.database.engine import Database


async def list_failed(database: Database, code: str | None) -> list[UUID]:
    """Oldest failure first; only those with that code, if there is one."""
    return await database.read(media.list_failed, code)
