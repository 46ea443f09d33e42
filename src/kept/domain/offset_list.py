"""A list as programs of other makers ask for it: by offset, in one of several orders, and with how many there are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter

MAX_OFFSET: Final = 1_000_000


class SortKey(StrEnum):
    CREATED = "created"
    TITLE = "title"
    SITE = "site"
    DURATION = "duration"
    PUBLISHED = "published"


class ReadStatus(StrEnum):
    UNREAD = "unread"
    READING = "reading"
    READ = "read"


@dataclass(frozen=True, slots=True)
class OffsetList:
    """Of the viewer's own library."""

    filter: ItemFilter = field(default_factory=ItemFilter)
    """Whoever lists fills in the library."""
    tags: tuple[str, ...] = ()
    """All of them."""
    item_ids: tuple[UUID, ...] | None = None
    changed_since: datetime | None = None
    read_statuses: frozenset[ReadStatus] = frozenset()
    title: str | None = None
    author: str | None = None
    site: str | None = None
    has_tags: bool | None = None
    is_loaded: bool | None = None
    """Whether nothing more is to come: an article, or the reason why there is none."""
    text: str | None = None
    """What is searched for."""
    sort: SortKey = SortKey.CREATED
    is_descending: bool = True
    offset: int = 0
    limit: int = 50


@dataclass(frozen=True, slots=True)
class OffsetPage:
    cards: Sequence[Card]
    changed_at: dict[UUID, datetime]
    """By item: when it, its page, or the viewer's reading of it last changed."""
    total: int


@dataclass(frozen=True, slots=True)
class ItemEvent:
    """What a program that syncs has to do with an item."""

    item_id: UUID
    at: datetime
    is_removed: bool = False
