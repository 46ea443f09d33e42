"""Which items of a library a list shows, and where in the list a page begins."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.lifecycle import ProcessingStatus


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a list: everything before it was shown already."""

    created_at: datetime
    item_id: UUID


@dataclass(frozen=True, slots=True)
class ItemFilter:
    library_id: UUID
    tag: str | None = None
    status: ProcessingStatus | None = None
    is_unread: bool | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    added_before: datetime | None = None
    added_after: datetime | None = None
    has_failed: bool = False
    oldest_first: bool = False
