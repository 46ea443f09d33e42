"""An item: a media's place in one library, with what people say of it; and one person's reading state."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from kept.domain.document import is_upload_url
from kept.domain.errors import InvalidRequest
from kept.domain.library import LibraryChoice
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.domain.text import normalise_within, parse_line, parse_text

MAX_TITLE: Final = 500
MAX_EXCERPT: Final = 5_000
MAX_NOTE: Final = 100_000
MAX_TAG: Final = 64
MAX_TAGS: Final = 100


@dataclass(frozen=True, slots=True)
class UserFields:
    """The fields that a person sets when saving; None sets nothing."""

    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()


NO_FIELDS: Final = UserFields()
WEB_SCHEMES: Final = ("http://", "https://")
UNDOABLE_READING: Final = ("is_favourite", "is_archived", "read_at")


@dataclass(frozen=True, slots=True)
class Item:
    id: UUID
    library_id: UUID
    media_id: UUID
    url: str
    added_by: UUID | None
    title: str | None
    excerpt: str | None
    note: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ReadingState:
    is_favourite: bool = False
    is_archived: bool = False
    read_at: datetime | None = None
    progress: float = 0.0


@dataclass(frozen=True, slots=True)
class Card:
    """An item as one viewer sees it: the library's fields before the page's, and the viewer's own reading state."""

    item: Item
    media: Media
    tags: tuple[str, ...]
    reading: ReadingState

    @property
    def title(self) -> str | None:
        return self.item.title or self.media.title

    @property
    def excerpt(self) -> str | None:
        return self.item.excerpt or self.media.excerpt


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFilter:
    """The filter that all lists share, also those of apps; None leaves a field open."""

    is_unread: bool | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    added_before: datetime | None = None
    added_after: datetime | None = None


@dataclass(frozen=True, slots=True)
class ItemFilter(StateFilter):
    """A filter for the items of one library or of several."""

    library_ids: tuple[UUID, ...] = ()
    """The libraries, the personal one first; a page in several is shown by its item in the first."""
    tag: str | None = None
    status: ProcessingStatus | None = None
    has_failed: bool = False
    oldest_first: bool = False


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list somebody looks at: of one or all libraries, filtered, or the results of a search in them."""

    library: LibraryChoice = None
    filter: ItemFilter = field(default_factory=ItemFilter)
    """The filter; whoever lists fills in the libraries."""
    text: str | None = None
    """What is searched for."""
    by_date: bool = False
    """Whether search results are in the order of the filter instead of the best first."""


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The outcome of one change to several items, and how to undo it."""

    changed: tuple[UUID, ...] = ()
    unchanged: int = 0
    """The number of items that were so already."""
    refused: int = 0
    """The number of items that are gone, that the viewer may not change, or whose state does not allow it."""
    undo: UUID | None = None
    """The batch that `undo_batch` undoes."""


@dataclass(frozen=True, slots=True)
class ItemUndo:
    """How to undo the change of one item."""

    item_id: UUID
    reading: dict[str, object] = field(default_factory=dict)
    """The fields of the reading state that changed, as they were."""
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    library_id: UUID | None = None
    """The library it was moved from."""

    @property
    def is_empty(self) -> bool:
        return self == ItemUndo(self.item_id)


def parse_user_fields(title: str | None, excerpt: str | None, note: str | None, tags: Iterable[str]) -> UserFields:
    return UserFields(
        parse_text(title, "A title", MAX_TITLE),
        parse_text(excerpt, "An excerpt", MAX_EXCERPT),
        parse_text(note, "A note", MAX_NOTE),
        parse_tags(tags),
    )


def parse_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Parse tags: lower case, one space between words, each once, in alphabetical order."""
    parsed = sorted({parse_tag(tag) for tag in tags if tag.strip()})
    if len(parsed) > MAX_TAGS:
        raise InvalidRequest("An item has at most %(max_tags)s tags.", max_tags=MAX_TAGS)
    return tuple(parsed)


def parse_tag(text: str) -> str:
    tag = (normalise_within(parse_line(text) or "", "NFC", MAX_TAG) or "").lower()
    if not 1 <= len(tag) <= MAX_TAG:
        raise InvalidRequest("A tag is 1 to %(max_tag)s printable characters.", max_tag=MAX_TAG)
    return tag


def join_notes(first: str | None, second: str | None) -> str | None:
    """Join two notes; one that is already in the other, as whole paragraphs, is not repeated.

    What goes beyond the limit is cut off: merging two items cannot be refused.
    """
    joined = _join(first, second)
    return joined if joined is None or len(joined) <= MAX_NOTE else joined[: MAX_NOTE - 1] + "…"


def require_room_for_note(present: str | None, added: str | None) -> None:
    """Refuse a note that is too long together with the present one, while its author can still shorten it."""
    if len(_join(present, added) or "") > MAX_NOTE:
        raise InvalidRequest(
            "A note has at most %(max_note)s characters, with the one that is there already.", max_note=MAX_NOTE
        )


def _join(first: str | None, second: str | None) -> str | None:
    if first is None or second is None or _has_paragraphs(first, second):
        return first or second
    return second if _has_paragraphs(second, first) else f"{first}\n\n{second}"


def _has_paragraphs(note: str, paragraphs: str) -> bool:
    return f"\n\n{paragraphs}\n\n" in f"\n\n{note}\n\n"


def fill_gaps(item: Item, added: "Item | UserFields") -> Item:
    """Return the item with its gaps filled from `added`, and the notes joined."""
    return replace(
        item,
        title=item.title or added.title,
        excerpt=item.excerpt or added.excerpt,
        note=join_notes(item.note, added.note),
    )


def unite_reading_states(first: ReadingState, second: ReadingState) -> ReadingState:
    """Merge one person's states of two media that are one page; only what was archived twice stays archived."""
    return ReadingState(
        first.is_favourite or second.is_favourite,
        first.is_archived and second.is_archived,
        min(filter(None, (first.read_at, second.read_at)), default=None),
        max(first.progress, second.progress),
    )


def find_link(url: str) -> str | None:
    """Return the URL if a browser can open it; None for other schemes and for uploaded files."""
    return url if url.startswith(WEB_SCHEMES) and not is_upload_url(url) else None


def site_of(card: Card) -> str:
    """Return the name of a card's site for people, else its host."""
    if is_upload_url(card.item.url):
        return "uploaded file"
    return card.media.site_name or host_of(card.item.url) or card.item.url.partition(":")[0]


def host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def undo_reading(before: ReadingState, after: ReadingState) -> dict[str, object]:
    """Return the fields that differ, as they were before."""
    fields = {name: getattr(before, name) for name in UNDOABLE_READING}
    return {name: value for name, value in fields.items() if value != getattr(after, name)}
