"""What a file that somebody brings says of one link: the value between those who read files and those who write rows.

A reader (`content/import_formats`) makes an `ImportedLink` of each row, or a `Rejected` with a reason for people. The
place of an entry in what a reader yields is its ordinal; reading a file again yields the same entries in the same
order, so that an import can go on where it was interrupted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from kept.domain import highlight
from kept.domain.errors import InvalidRequest
from kept.domain.highlight import CONTEXT_LENGTH, DEFAULT_COLOUR, MAX_QUOTE, Colour, HighlightRoom, NewHighlight, Quote
from kept.domain.item import MAX_EXCERPT, MAX_NOTE, MAX_TAG, MAX_TAGS, MAX_TITLE, ReadingState, UserFields, parse_tag
from kept.domain.message import Message
from kept.domain.text import replace_unprintable

# The first web page is of August 1991; what is older is a file's way of saying that it does not know.
EARLIEST: Final = datetime(1991, 8, 6, tzinfo=UTC)
# Clocks and time zones differ; a later date is not one to sort a list by.
LATEST_AHEAD: Final = timedelta(days=1)
ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True)
class ImportedHighlight:
    """A passage somebody marked, and what they wrote beside it. Without a quote it is a note on the whole page."""

    quote: str
    note: str | None = None
    created_at: datetime | None = None
    colour: Colour = DEFAULT_COLOUR
    updated_at: datetime | None = None
    prefix: str = ""
    suffix: str = ""
    start: int | None = None
    """The offset at which it began in the canonical text of the article that came with it."""
    number: int | None = None
    """The number that apps used for it on another server."""


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """The page or article as the other tool kept it: hostile until it went through an extractor."""

    html: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ImportedImage:
    """An image that came with the file: its name in the zip, or None. It is read when its turn comes."""

    origin_url: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedCapture:
    """A file of the whole page, inside the imported one."""

    format: str
    file: str


@dataclass(frozen=True, slots=True)
class ImportedCopy:
    """A page from another Kept: its article made safe, its metadata, its images. Nobody vouches for the file, so that
    all of it is as hostile as a page from anywhere."""

    key: str
    """The key of a copy within the file; items of one page in several libraries share it."""
    newer_key: str | None
    """The key of the copy that replaced this one in lists."""
    html: str = field(repr=False)
    page: Mapping[str, str | datetime | None] = field(repr=False)
    images: tuple[ImportedImage, ...] = ()
    screenshot: ImportedImage | None = None
    captures: tuple[ImportedCapture, ...] = ()


ImportedContent = ImportedPage | ImportedCopy


@dataclass(frozen=True, slots=True)
class ImportedNumbers:
    """The numbers that apps used for the item and its tags on another server."""

    last: int
    """The highest number that server had assigned."""
    item: int | None = None
    tags: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedLink:
    url: str
    title: str | None = None
    excerpt: str | None = None
    note: str | None = None
    tags: tuple[str, ...] = ()
    folders: tuple[tuple[str, ...], ...] = ()
    """Every folder, collection or list that contains it, each as its path from the outermost in."""
    added_at: datetime | None = None
    is_read: bool = False
    read_at: datetime | None = None
    is_favourite: bool = False
    is_archived: bool = False
    progress: float = 0.0
    highlights: tuple[ImportedHighlight, ...] = ()
    content: ImportedContent | None = None
    library: str | None = None
    """The library it was in, to which it returns whatever becomes of folders."""
    updated_at: datetime | None = None
    is_exact: bool = False
    """Whether the file lists all its libraries, so that it is not added to the personal one too."""
    numbers: "ImportedNumbers | None" = None


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that makes no item, with the reason in words for the person who brought the file."""

    reason: str | Message
    url: str | None = None


ImportedEntry = ImportedLink | Rejected


class FolderUse(StrEnum):
    """How a file's folders, collections and lists are used."""

    TAGS = "tags"
    LIBRARIES = "libraries"


# --- what of it can be kept --------------------------------------------------------------------------------------


def clamp_instant(moment: datetime | None, *, now: datetime) -> datetime | None:
    """Return the moment if a web page can have been saved then, else None; a future one becomes now."""
    if moment is None or moment < EARLIEST:
        return None
    return now if moment > now + LATEST_AHEAD else min(moment, now)


def user_fields_of(link: ImportedLink, *, extra_tags: Iterable[str] = ()) -> UserFields:
    """Return the user fields of a link. Long texts are cut, never refused; a title that repeats the URL is dropped."""
    title = clean(link.title, MAX_TITLE)
    return UserFields(
        title=None if title in (link.url, link.url.rstrip("/")) else title,
        excerpt=clean(link.excerpt, MAX_EXCERPT),
        note=clean(note_of(link), MAX_NOTE),
        tags=clean_tags((*link.tags, *extra_tags)),
    )


def clean(text: str | None, longest: int) -> str | None:
    if not text:
        return None
    text = storable(text).strip()
    return (text if len(text) <= longest else text[: longest - 1] + ELLIPSIS) or None


def storable(text: str) -> str:
    """Remove NUL, which PostgreSQL cannot store, and lone surrogates, which nothing can store."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for tag in tags:
        try:
            found[parse_tag(replace_unprintable(tag[:MAX_TAG]))] = None
        except InvalidRequest:
            continue
    return tuple(sorted(list(found)[:MAX_TAGS]))


def note_of(link: ImportedLink) -> str | None:
    """Return the link's own note, with the notes that belong to no passage."""
    loose = [marked.note for marked in link.highlights if not marked.quote.strip()]
    return "\n\n".join(part.strip() for part in (link.note, *loose) if part and part.strip()) or None


def highlights_of(link: ImportedLink, *, now: datetime) -> tuple[NewHighlight, ...]:
    """Return the page's highlights, each once. Long ones are cut; those beyond the limits of a page are left out."""
    found: dict[NewHighlight, None] = {}
    room = HighlightRoom()
    for marked in link.highlights:
        new = highlight_of(marked, link, now=now)
        if new is None or new in found:
            continue
        room = room.add(new.quote, new.note)
        if room.is_exceeded:
            break
        found[new] = None
    return tuple(found)


def highlight_of(marked: ImportedHighlight, link: ImportedLink, *, now: datetime) -> NewHighlight | None:
    """Return a highlight, dated like the link where the file has no date; None without a quote."""
    exact = storable(marked.quote).strip()[:MAX_QUOTE]
    if not exact:
        return None
    context = storable(marked.prefix)[-CONTEXT_LENGTH:], storable(marked.suffix)[:CONTEXT_LENGTH]
    created_at = clamp_instant(marked.created_at, now=now) or clamp_instant(link.added_at, now=now)
    return NewHighlight(
        Quote(exact, *context),
        marked.colour,
        clean(marked.note, highlight.MAX_NOTE),
        marked.start,
        created_at,
        clamp_instant(marked.updated_at, now=now) or created_at,
        marked.number,
    )


def reading_of(link: ImportedLink, *, now: datetime) -> ReadingState:
    read_at = clamp_instant(link.read_at, now=now)
    if link.is_read and read_at is None:
        read_at = clamp_instant(link.added_at, now=now) or now
    return ReadingState(link.is_favourite, link.is_archived, read_at, min(max(link.progress, 0.0), 1.0))


def join_reading(kept: ReadingState, brought: ReadingState) -> ReadingState:
    """Return the reading state that is kept, with what a file adds."""
    return ReadingState(
        kept.is_favourite or brought.is_favourite,
        kept.is_archived or brought.is_archived,
        kept.read_at or brought.read_at,
        max(kept.progress, brought.progress),
    )


def copy_media_id(import_id: UUID, key: str) -> UUID:
    """Return a copy's media id, the same for all items of the page and in a resumed import; it reveals nothing."""
    return uuid5(import_id, key)
