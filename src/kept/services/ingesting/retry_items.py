"""Try the pages of several items again, each by itself, and count those that cannot be."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, NotFound
from kept.jobs.notifier import Notifier
from kept.services.ingesting.ingest_item import ingest_item
from kept.storage.database.engine import Database


async def retry_items(
    database: Database,
    notifier: Notifier,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    *,
    request_id: str | None,
    now: datetime,
) -> BulkResult:
    """A page that has its article, is being saved or is none is refused. NotFound if the only item is gone."""
    wanted, queued = list(dict.fromkeys(item_ids)), []
    for item_id in wanted:
        try:
            await ingest_item(database, notifier, viewer, item_id, request_id=request_id, now=now)
            queued.append(item_id)
        except Conflict:
            continue
        except NotFound:
            if len(wanted) == 1:
                raise
    return BulkResult(tuple(queued), refused=len(wanted) - len(queued))
