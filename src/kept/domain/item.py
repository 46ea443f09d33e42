"""An item: a media's place in one library, with what people say of it; and one person's reading state."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.errors import InvalidRequest
from kept.domain.media import Media

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
class Words:
    """What a person says when saving; None says nothing."""

    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()


NO_WORDS: Final = Words()


def parse_words(title: str | None, excerpt: str | None, note: str | None, tags: Iterable[str]) -> Words:
    return Words(
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
    tag = " ".join(unicodedata.normalize("NFC", text).lower().split())
    if not 1 <= len(tag) <= MAX_TAG or not tag.isprintable():
        raise InvalidRequest(f"A tag is 1 to {MAX_TAG} printable characters.")
    return tag


def join_notes(first: str | None, second: str | None) -> str | None:
    """Both notes, one after the other; the same one twice is one."""
    if first is None or second is None or first == second:
        return first or second
    return f"{first}\n\n{second}"
