"""Items as apps of other programs list and synchronise them: by numbers, by offsets, and by time of change."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.highlight import Highlight
from kept.domain.item import StateFilter

# The largest that fits into the 32 bits that apps have for them.
MAX_NUMBER: Final = 2**31 - 1
# A file may bring numbers up to here, so that as many are left for what is saved later.
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
    SITE = "site"
    DURATION = "duration"
    PUBLISHED = "published"


class ReadStatus(StrEnum):
    UNREAD = "unread"
    READING = "reading"
    READ = "read"


class WordField(StrEnum):
    TITLE = "title"
    AUTHOR = "author"
    SITE = "site"
    """The name of the site, or its host."""


@dataclass(frozen=True, slots=True)
class WordTerm:
    """A text that a field contains, in any case; or does not contain."""

    field: WordField
    text: str
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class TagTerm:
    name: str
    is_beginning: bool = False
    """Whether any tag that begins so matches."""
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class SyncFilter(StateFilter):
    """A filter for items of the viewer's own library; None leaves a field open."""

    is_tagged: bool | None = None
    changed_after: datetime | None = None
    changed_since: datetime | None = None
    """The earliest time of a change, inclusive."""
    tags: tuple[str, ...] = ()
    """The tags that an item has, all of them."""
    tag_terms: tuple[TagTerm, ...] = ()
    site: str | None = None
    """The host of the site."""
    item_ids: tuple[UUID, ...] | None = None
    read_statuses: frozenset[ReadStatus] = frozenset()
    """The statuses, of which an item has any; none leaves it open."""
    words: tuple[WordTerm, ...] = ()
    has_failed: bool | None = None
    is_loaded: bool | None = None
    """Whether nothing more is to come: there is an article, or the reason why there is none."""
    searches: tuple[str, ...] = ()
    """Searches in Kept's own language; an item is found by any of them."""


@dataclass(frozen=True, slots=True)
class SyncPage:
    order: SyncOrder = SyncOrder.CREATED
    is_descending: bool = True
    offset: int = 0
    limit: int = 30
    with_articles: bool = False


@dataclass(frozen=True, slots=True)
class SyncEvent:
    """An item that changed or was removed, for a program that syncs."""

    item_id: UUID
    at: datetime
    is_removed: bool = False


@dataclass(frozen=True, slots=True)
class NumberedTag:
    number: int
    name: str
    count: int = 0
    """The number of items that have it, where it was counted."""


@dataclass(frozen=True, slots=True)
class NumberedHighlight:
    number: int
    highlight: Highlight


@dataclass(frozen=True, slots=True)
class SyncState:
    """The times by which apps sort and synchronise items."""

    changed_at: datetime
    archived_at: datetime | None = None
    favourite_at: datetime | None = None
