"""Keep copies of several whole pages, and count those of which there can be none."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.bulk_result import BulkResult
from kept.domain.errors import Conflict, Forbidden, NotFound
from kept.services.items.capture_item import PageCapturer, capture_item
from kept.services.pages.bulk import act_on_each


async def capture_items(
    capturer: PageCapturer, viewer: Viewer, item_ids: Sequence[UUID], *, request_id: str | None, now: datetime
) -> BulkResult:
    """An error if the only item is gone, not the viewer's to change, or has none."""
    capture = partial(capture_item, capturer, viewer, request_id=request_id, now=now)
    return await act_on_each(item_ids, capture, refusals=(Conflict, NotFound, Forbidden))
