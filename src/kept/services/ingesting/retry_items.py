"""Try the pages of several items again, each by itself, and count those that cannot be."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, NotFound
from kept.jobs.notifier import Notifier
from kept.services.ingesting.ingest_item import ingest_item
from kept.services.pages.bulk import act_on_each
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
    ingest = partial(ingest_item, database, notifier, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, ingest, refusals=(NotFound,), never_raised=(Conflict,))
