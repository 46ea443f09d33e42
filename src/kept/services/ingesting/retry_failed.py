"""Try pages again because whoever runs the server asked: one by one, so that a thousand do not hold up a save."""

from datetime import datetime
from uuid import UUID

from kept.domain.errors import Conflict
from kept.services.ingesting.queue_retry import RetryRequest, queue_retry
from kept.storage import media
from kept.storage.database.engine import Connection


def retry_failed(tx: Connection, media_id: UUID, *, now: datetime) -> None:
    found = media.find_media(tx, media_id, lock=True)
    if found is None:
        raise Conflict(f"There is nothing to retry for {media_id}.")
    queue_retry(tx, found, RetryRequest(), now)
