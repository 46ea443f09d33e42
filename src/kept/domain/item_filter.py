"""Which of a library's items a list shows."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.lifecycle import ProcessingStatus


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
