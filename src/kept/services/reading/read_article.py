"""The article of a media, for whoever may see it, once it is ready."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.reading.get_article import ReadableArticle, get_article
from kept.services.reading.get_visible_media import get_visible_media
from kept.storage.database.engine import Connection, Database


async def read_article(database: Database, viewer: Viewer, media_id: UUID) -> ReadableArticle:
    return await database.read(_read, viewer, media_id)


def _read(tx: Connection, viewer: Viewer, media_id: UUID) -> ReadableArticle:
    return get_article(tx, get_visible_media(tx, viewer, media_id))
