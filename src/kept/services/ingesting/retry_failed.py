"""Try pages again because whoever runs the server asked: one by one, so that a thousand do not hold up a save."""

from datetime import datetime
from uuid import UUID

from kept.domain.errors import Conflict
from kept.services.ingesting.queue_retry import RetryRequest, queue_retry
from kept.storage import items, media
from kept.storage.database.engine import Connection, Database


async def retry_failed(database: Database, media_or_item_id: UUID, *, now: datetime) -> None:
    """One page. People copy an item's id from a URL as often as a media's."""
    await database.write(_retry, media_or_item_id, now)


def _retry(tx: Connection, media_or_item_id: UUID, now: datetime) -> None:
    media_id = items.find_media_of_item(tx, media_or_item_id) or media_or_item_id
    found = media.find_media(tx, media_id, lock=True)
    if found is None:
        raise Conflict(f"There is nothing to retry for {media_or_item_id}.")
    queue_retry(tx, found, RetryRequest(), now)
