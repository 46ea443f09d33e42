"""A media as one viewer may see it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.pages.get_visible_media import get_visible_media
from kept.services.pages.view_media import SeenMedia, view_media
from kept.storage.database.engine import Connection, Database


async def read_media(database: Database, viewer: Viewer, media_id: UUID) -> SeenMedia:
    return await database.read(_read, viewer, media_id)


def _read(tx: Connection, viewer: Viewer, media_id: UUID) -> SeenMedia:
    return view_media(tx, viewer, get_visible_media(tx, viewer, media_id))
