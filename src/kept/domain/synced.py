"""Items as apps of other programs synchronise them: by numbers, and by when anything of them changed."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from kept.domain.highlight import Highlight

# The largest that fits into the 32 bits that apps have for them.
MAX_NUMBER: Final = 2**31 - 1
# A file may bring numbers up to here. Whatever it says, as many are left for what is saved later.
MAX_RESTORED_NUMBER: Final = 2**30


class NumberKind(StrEnum):
    ITEM = "item"
    TAG = "tag"
    HIGHLIGHT = "highlight"


class SyncOrder(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    ARCHIVED = "archived"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class SyncFilter:
    """Which items of the viewer's own library; None leaves it open."""

    is_archived: bool | None = None
    is_favourite: bool | None = None
    is_unread: bool | None = None
    is_tagged: bool | None = None
    changed_after: datetime | None = None
    added_after: datetime | None = None
    tags: tuple[str, ...] = ()
    """All of them."""
    site: str | None = None


@dataclass(frozen=True, slots=True)
class SyncPage:
    order: SyncOrder = SyncOrder.CREATED
    is_descending: bool = True
    offset: int = 0
    limit: int = 30
    with_articles: bool = False


@dataclass(frozen=True, slots=True)
class NumberedTag:
    number: int
    name: str
    count: int = 0
    """How many items have it, where it was counted."""


@dataclass(frozen=True, slots=True)
class NumberedHighlight:
    number: int
    highlight: Highlight


@dataclass(frozen=True, slots=True)
class SyncState:
    """What lists of apps are sorted by and synchronised with."""

    changed_at: datetime
    archived_at: datetime | None = None
    favourite_at: datetime | None = None
