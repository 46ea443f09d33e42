"""Save the article of an item of which only the card was saved; a page that failed is tried again."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.job import JobKind, Priority
from kept.jobs.notifier import Notifier
from kept.services.ingesting.queue_retry import RetryRequest, queue_retry
from kept.services.pages.cards import get_card
from kept.storage.database.engine import Connection, Database


async def ingest_item(
    database: Database, notifier: Notifier, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    """Conflict where there is an article, or one is being made."""
    card = await database.write(_ingest, viewer, item_id, request_id, now)
    notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _ingest(tx: Connection, viewer: Viewer, item_id: UUID, request_id: str | None, now: datetime) -> Card:
    card = get_card(tx, viewer, item_id)
    queue_retry(tx, card.media, RetryRequest(viewer.user_id, request_id, Priority.PERSON), now)
    return get_card(tx, viewer, item_id)
