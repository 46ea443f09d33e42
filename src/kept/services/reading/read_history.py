"""A media's history, told so that nobody learns of anybody else."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.history import Line, tell_history
from kept.services.reading.read_media import get_visible_media
from kept.storage import articles, lifecycles
from kept.storage.database.engine import Database


async def read_history(database: Database, viewer: Viewer, media_id: UUID) -> list[Line]:
    async with database.read() as tx:
        found = await get_visible_media(tx, viewer, media_id)
        return tell_history(
            await lifecycles.list_transitions(tx, found.id),
            viewer_id=viewer.user_id,
            known_since=await articles.find_known_since(tx, found.id, viewer.user_id),
            is_shared=await articles.is_held_elsewhere(tx, found.id, viewer.user_id),
        )
