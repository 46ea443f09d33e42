"""Keep copies of several whole pages, and count those of which there can be none."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.services.captures.capture_item import PageCapturer, capture_item


async def capture_items(
    capturer: PageCapturer, viewer: Viewer, item_ids: Sequence[UUID], *, request_id: str | None, now: datetime
) -> BulkResult:
    """An error if the only item is gone, not the viewer's to change, or has none."""
    wanted, queued = list(dict.fromkeys(item_ids)), []
    for item_id in wanted:
        try:
            await capture_item(capturer, viewer, item_id, request_id=request_id, now=now)
            queued.append(item_id)
        except (Conflict, NotFound, Forbidden):
            if len(wanted) == 1:
                raise
    return BulkResult(tuple(queued), refused=len(wanted) - len(queued))
