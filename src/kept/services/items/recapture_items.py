"""Keep a new copy of several pages, and count those of which there is no copy yet."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.jobs.notifier import Notifier
from kept.services.items.recapture_item import recapture_item
from kept.services.pages.bulk import act_on_each
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
    recapture = partial(recapture_item, database, notifier, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, recapture, refusals=(NotFound, Forbidden), never_raised=(Conflict,))
