"""The pages that an item's id, a media's id or a URL names, for whoever runs the server."""

from uuid import UUID

from kept.domain.errors import InvalidRequest, NotFound
from kept.storage import items, media
from kept.storage.database.engine import Connection, Database
from kept.urls.url import NormalisedUrl, parse_url


async def resolve_page(database: Database, named: str) -> list[UUID]:
    """Ids of media; several where libraries have copies of their own at that URL."""
    try:
        return [await database.read(_resolve_id, UUID(named))]
    except ValueError:
        pass
    url = parse_url(named)
    if not isinstance(url, NormalisedUrl):
        raise InvalidRequest(f"{named} is neither an id nor a web URL.")
    found = await database.read(media.list_pages_at, str(url))
    if not found:
        raise NotFound(f"Nothing was saved from {named}.")
    return found


def _resolve_id(tx: Connection, given: UUID) -> UUID:
    """People copy an item's id from a URL as often as a media's."""
    media_id = items.find_media_of_item(tx, given) or given
    return media.find_merged(tx, media_id) or media_id
