"""A media as one viewer may see it, and what they can do with it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.media import Capabilities, Media, derive_capabilities
from kept.storage import articles, media
from kept.storage.database.engine import AsyncConnection, Database


@dataclass(frozen=True, slots=True)
class SeenMedia:
    media: Media
    capabilities: Capabilities
    kept_at: datetime | None
    """When this copy was made; None where that would tell when somebody else saved it."""


async def read_media(database: Database, viewer: Viewer, media_id: UUID) -> SeenMedia:
    async with database.read() as tx:
        return await see(tx, viewer, await get_visible_media(tx, viewer, media_id))


async def get_visible_media(tx: AsyncConnection, viewer: Viewer, media_id: UUID) -> Media:
    """By way of a merge, if need be; NotFound for what the viewer may not see and for what is not there alike."""
    found = await media.find_visible_media(tx, media_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found


async def see(tx: AsyncConnection, viewer: Viewer, found: Media) -> SeenMedia:
    has_fragments = found.is_readable and await articles.has_fragment(tx, found.id)
    capabilities = derive_capabilities(found, has_fragments=has_fragments)
    return SeenMedia(found, capabilities, await find_kept_at(tx, viewer, found))


async def find_kept_at(tx: AsyncConnection, viewer: Viewer, found: Media) -> datetime | None:
    made_at = found.fetched_at or found.processing_completed_at
    if made_at is None:
        return None
    known_since = await articles.find_known_since(tx, found.id, viewer.user_id)
    return made_at if known_since is not None and made_at >= known_since else None
