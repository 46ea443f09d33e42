"""Where a link goes: the one decision behind a save, an upload, a page that brings its content, and a row of an import.

A known URL needs no fetch. What is there is added to, and never overwritten. Content that came with a link makes a
private page, to which nobody else is led. Whoever saves into a library saves into their personal one, too.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto
from typing import Final
from uuid import UUID

from kept.domain.failures import MAY_BE_DOCUMENTS
from kept.domain.item import Item, UserFields, fill_gaps
from kept.domain.lifecycle import RETRYABLE, ProcessingStatus, deserves_fresh_attempt


class Brought(Enum):
    """What comes with a link, beside its URL."""

    NOTHING = auto()
    CONTENT = auto()
    """The page's text: it is needed only where there is no article."""
    COPY = auto()
    """A copy that another Kept exported."""
    FILE = auto()
    """The page as somebody saw it, or a document: it is always shown."""


class Place(Enum):
    """The place of a link in one library."""

    NEW_PAGE = auto()
    """A new item on a new page that everybody shares."""
    NEW_PRIVATE_PAGE = auto()
    """A new item on a new page that only those who hold it see."""
    KNOWN_PAGE = auto()
    """A new item on the page that is known."""
    PRESENT_ITEM = auto()
    """The item that is there."""
    STAND_IN = auto()
    """The item that is there, with a private page instead of the one that could not be kept."""
    SHOWN_COPY = auto()
    """The item that is there, with a private page; the copy that it showed stays beside it."""
    OLDER_COPY = auto()
    """A new item on a private page, beside the newer copy that is there."""


NEW_ITEM: Final = frozenset({Place.NEW_PAGE, Place.NEW_PRIVATE_PAGE, Place.KNOWN_PAGE, Place.OLDER_COPY})


@dataclass(frozen=True, slots=True)
class KnownPage:
    """The page that a library knows under a URL."""

    media_id: UUID
    status: ProcessingStatus = ProcessingStatus.PENDING
    accepts_documents: bool = True
    failure_code: str | None = None
    held: Item | None = None
    """The library's item; it may hold an older copy of the page."""
    is_private: bool = False
    """Whether its content came with a link."""
    is_same_file: bool = False
    """Whether it was made of the very file that came with the link."""
    is_newer_copy: bool = False
    """Whether what came with the link is an older copy of it."""


@dataclass(frozen=True, slots=True)
class WantedLink:
    """The properties of a saved link that the decision depends on."""

    brought: Brought = Brought.NOTHING
    accepts_documents: bool = True
    """Whether a file at the URL is accepted; if not, it is a failure, because a web article is asked for."""
    is_web: bool = True
    """Whether there is anything to fetch at its URL."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The decision about a link."""

    place: Place
    is_ingested: bool
    """Whether a job that makes the page's article is queued."""
    accepts_documents_now: bool = False
    """Whether the page accepts documents from now on, and did not before."""

    @property
    def is_new_item(self) -> bool:
        return self.place in NEW_ITEM

    @property
    def is_new_page(self) -> bool:
        return self.place not in {Place.KNOWN_PAGE, Place.PRESENT_ITEM}


def place(known: KnownPage | None, wanted: WantedLink) -> Placement:
    """Decide where a link goes in a library, from what the library knows under its URL."""
    if known is None:
        is_shared = wanted.brought is Brought.NOTHING
        return Placement(Place.NEW_PAGE if is_shared else Place.NEW_PRIVATE_PAGE, is_ingested=wanted.is_web)
    chosen = _choose_place(known, wanted) if known.held is None else _choose_beside(known, known.held, wanted)
    if chosen not in {Place.KNOWN_PAGE, Place.PRESENT_ITEM}:
        return Placement(chosen, is_ingested=True)
    is_wider = wanted.accepts_documents and not known.accepts_documents
    is_ingested = wanted.is_web and _deserves_attempt(known, wanted, is_new=chosen is Place.KNOWN_PAGE)
    return Placement(chosen, is_ingested, is_wider)


def _choose_place(known: KnownPage, wanted: WantedLink) -> Place:
    """Choose the place of a link whose page the library does not hold; its own private page stays its own."""
    is_known = wanted.brought is Brought.NOTHING or (known.is_private and wanted.brought is not Brought.FILE)
    return Place.KNOWN_PAGE if is_known else Place.NEW_PRIVATE_PAGE


def _choose_beside(known: KnownPage, held: Item, wanted: WantedLink) -> Place:
    if wanted.brought is Brought.FILE and not known.is_same_file:
        return Place.SHOWN_COPY
    if wanted.brought is Brought.COPY and known.is_newer_copy:
        return Place.OLDER_COPY
    is_failed = known.status in RETRYABLE and held.media_id == known.media_id
    if wanted.brought is Brought.CONTENT and is_failed and not known.is_private:
        return Place.STAND_IN
    return Place.PRESENT_ITEM


def _deserves_attempt(known: KnownPage, wanted: WantedLink, *, is_new: bool) -> bool:
    """Return whether the page gets a fresh attempt: by a new item if it failed, by a present one only if it may be a
    document that was not accepted before."""
    is_wider = wanted.accepts_documents and not known.accepts_documents
    if is_wider and known.status is ProcessingStatus.EXTRACTING:  # by a worker that wants no document
        return True
    may_be_document = wanted.accepts_documents and known.failure_code in MAY_BE_DOCUMENTS
    return (is_new or is_wider or may_be_document) and deserves_fresh_attempt(known.status)


def add_to(item: Item, present: Collection[str], fields: UserFields, now: datetime) -> tuple[Item, tuple[str, ...]]:
    """Add user fields to an item with these tags: tags are added, gaps filled, notes joined.

    Returns the item, the same object if nothing is new, and the tags that it did not have.
    """
    filled = fill_gaps(item, fields)
    tags = tuple(tag for tag in fields.tags if tag not in present)
    return (replace(filled, updated_at=now) if tags or filled != item else item), tags
