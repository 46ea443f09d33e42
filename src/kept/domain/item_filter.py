"""Which items a list shows, of one library or of several."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.lifecycle import ProcessingStatus


@dataclass(frozen=True, slots=True)
class ItemFilter:
    library_ids: tuple[UUID, ...] = ()
    """The personal one first; of a page that several hold, its item there is shown."""
    tag: str | None = None
    status: ProcessingStatus | None = None
    is_unread: bool | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    added_before: datetime | None = None
    added_after: datetime | None = None
    has_failed: bool = False
    oldest_first: bool = False
