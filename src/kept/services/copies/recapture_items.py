"""Keep a new copy of several pages, and count those of which there is no copy yet."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.jobs.notifier import Notifier
from kept.services.copies.recapture_item import recapture_item
from kept.storage.database.engine import Database


async def recapture_items(
    database: Database,
    notifier: Notifier,
    viewer: Viewer,
    item_ids: Sequence[UUID],
    *,
    request_id: str | None,
    now: datetime,
) -> BulkResult:
    """An error if the only item is gone or not the viewer's to change."""
    wanted, queued = list(dict.fromkeys(item_ids)), []
    for item_id in wanted:
        try:
            await recapture_item(database, notifier, viewer, item_id, request_id=request_id, now=now)
            queued.append(item_id)
        except Conflict:
            continue
        except (NotFound, Forbidden):
            if len(wanted) == 1:
                raise
    return BulkResult(tuple(queued), refused=len(wanted) - len(queued))
