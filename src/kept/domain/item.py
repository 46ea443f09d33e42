"""An item: a media's place in one library, with what people say of it; and one person's reading state."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.errors import InvalidRequest
from kept.domain.media import Media
from kept.domain.printable import parse_line
from kept.domain.unicode_forms import normalise_within

MAX_TITLE: Final = 500
MAX_EXCERPT: Final = 5_000
MAX_NOTE: Final = 100_000
MAX_TAG: Final = 64
MAX_TAGS: Final = 100


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
    """An item as one viewer sees it: the library's words over the page's, and the viewer's own reading state."""

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


@dataclass(frozen=True, slots=True)
class UserFields:
    """What a person says when saving; None says nothing."""

    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()


NO_FIELDS: Final = UserFields()


def parse_user_fields(title: str | None, excerpt: str | None, note: str | None, tags: Iterable[str]) -> UserFields:
    return UserFields(
        parse_text(title, "A title", MAX_TITLE),
        parse_text(excerpt, "An excerpt", MAX_EXCERPT),
        parse_text(note, "A note", MAX_NOTE),
        parse_tags(tags),
    )


def parse_text(text: str | None, what: str, longest: int) -> str | None:
    """Trimmed; nothing but white space is nothing."""
    if text is None:
        return None
    text = text.strip()
    if len(text) > longest:
        raise InvalidRequest(f"{what} has at most {longest} characters.")
    return text or None


def parse_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Lower case, one space between words, each once, in alphabetical order."""
    parsed = sorted({parse_tag(tag) for tag in tags if tag.strip()})
    if len(parsed) > MAX_TAGS:
        raise InvalidRequest(f"An item has at most {MAX_TAGS} tags.")
    return tuple(parsed)


def parse_tag(text: str) -> str:
    tag = (normalise_within(parse_line(text) or "", "NFC", MAX_TAG) or "").lower()
    if not 1 <= len(tag) <= MAX_TAG:
        raise InvalidRequest(f"A tag is 1 to {MAX_TAG} printable characters.")
    return tag


def join_notes(first: str | None, second: str | None) -> str | None:
    """Both notes, one after the other; one that already stands in the other, as whole paragraphs, is not repeated.

    What goes beyond the limit is cut off: two items that become one cannot be refused.
    """
    joined = _join(first, second)
    return joined if joined is None or len(joined) <= MAX_NOTE else joined[: MAX_NOTE - 1] + "…"


def require_room_for_note(present: str | None, added: str | None) -> None:
    """For somebody who adds a note and can still shorten it."""
    if len(_join(present, added) or "") > MAX_NOTE:
        raise InvalidRequest(f"A note has at most {MAX_NOTE} characters, with the one that is there already.")


def _join(first: str | None, second: str | None) -> str | None:
    if first is None or second is None or _has_paragraphs(first, second):
        return first or second
    return second if _has_paragraphs(second, first) else f"{first}\n\n{second}"


def _has_paragraphs(note: str, paragraphs: str) -> bool:
    return f"\n\n{paragraphs}\n\n" in f"\n\n{note}\n\n"


def fill_gaps(item: Item, added: "Item | UserFields") -> Item:
    """What the item says stays; what it does not say is taken from `added`, and notes are joined."""
    return replace(
        item,
        title=item.title or added.title,
        excerpt=item.excerpt or added.excerpt,
        note=join_notes(item.note, added.note),
    )


def unite_reading_states(first: ReadingState, second: ReadingState) -> ReadingState:
    """One person's states of two media that turned out to be one page; only what was archived twice stays archived."""
    return ReadingState(
        first.is_favourite or second.is_favourite,
        first.is_archived and second.is_archived,
        min(filter(None, (first.read_at, second.read_at)), default=None),
        max(first.progress, second.progress),
    )
