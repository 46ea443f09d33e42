"""Prepares a file's entries for writing, before any transaction: URLs are normalised, texts cleaned, dates checked."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.compression import compress
from kept.domain.capture import CaptureFormat
from kept.domain.highlight import NewHighlight
from kept.domain.imported import (
    FolderUse,
    ImportedCopy,
    ImportedEntry,
    ImportedLink,
    ImportedNumbers,
    ImportedPage,
    Rejected,
    clamp_instant,
    highlights_of,
    reading_of,
    user_fields_of,
)
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import ReadingState, UserFields
from kept.domain.message import Message
from kept.domain.text import parse_line
from kept.urls.given import GivenUrl, UrlNotice, explain_rejection, parse_given_url, remove_credentials
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl

LONGEST_SHOWN: Final = 2048
# A pattern for what may be a password in a text that is no URL.
PASSWORD: Final = re.compile(r"//[^\s@]*@")
MAX_CONTENT_CHARACTERS: Final = 10 * 1024 * 1024
# As JSON or a form has them, where some characters take more.
MAX_CONTENT_BYTES: Final = 2 * MAX_CONTENT_CHARACTERS
LONGEST_REASON: Final = 500
PAGE: Final = (
    '<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body>{content}</body></html>'
)


@dataclass(frozen=True, slots=True)
class StoredCapture:
    """A file of a whole page, stored."""

    format: CaptureFormat
    blob_key: str
    content_type: str
    size: int
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class StoredImages:
    """A copy's images for the rows to write; one without a key could not be stored."""

    images: tuple[tuple[UUID, str, str | None, str | None], ...] = ()
    """The images, each with its id, origin, key and type."""
    screenshot_key: str | None = None
    captures: tuple[StoredCapture, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedLink:
    """A row that can become an item."""

    ordinal: int
    url: NormalisedUrl
    given_url: str
    """The URL as it is in the file, which the item keeps and opens."""
    fields: UserFields
    reading: ReadingState
    added_at: datetime | None
    library_name: str | None = None
    """The name of the library that its folder becomes, if it does."""
    body: bytes | None = None
    """The compressed page that came with it."""

    updated_at: datetime | None = None
    is_exact: bool = False
    copy: ImportedCopy | None = field(default=None, repr=False)
    """The copy without its article, which is the body."""
    notices: tuple[UrlNotice, ...] = ()
    highlights: tuple[NewHighlight, ...] = ()
    images: StoredImages | None = None
    """The copy's images, once they are in the blob store."""
    numbers: ImportedNumbers | None = None


PreparedRow = PreparedLink | ImportedRow


def prepare_rows(
    entries: Iterable[ImportedEntry], *, first: int, folder_use: FolderUse, now: datetime
) -> Iterator[PreparedRow]:
    return (_prepare_row(entry, number, folder_use, now) for number, entry in enumerate(entries, first))


def _prepare_row(entry: ImportedEntry, ordinal: int, folder_use: FolderUse, now: datetime) -> PreparedRow:
    if isinstance(entry, Rejected):
        return _reject(ordinal, entry.url, entry.reason)
    given = parse_given_url(entry.url)
    if isinstance(given, RejectedUrl) or isinstance(given.url, OtherSchemeUrl):
        return _reject(ordinal, entry.url, _explain(given))
    return PreparedLink(
        ordinal,
        given.url,
        given.text,
        user_fields_of(entry, extra_tags=_folder_tags(entry, folder_use)),
        reading_of(entry, now=now),
        clamp_instant(entry.added_at, now=now),
        _choose_library_name(entry, folder_use),
        _page_body(entry),
        clamp_instant(entry.updated_at, now=now),
        entry.is_exact,
        replace(entry.content, html="") if isinstance(entry.content, ImportedCopy) else None,
        given.notices,
        highlights_of(entry, now=now),
        numbers=entry.numbers,
    )


def _reject(ordinal: int, url: str | None, reason: str | Message) -> ImportedRow:
    text = str(reason)
    told = reason if isinstance(reason, Message) and len(text) <= LONGEST_REASON else None
    return ImportedRow(ordinal, _shown(url), RowOutcome.REJECTED, text[:LONGEST_REASON], told=told)


def _shown(url: str | None) -> str | None:
    """Return the URL of a row that is no link as people may see it, without a password in it."""
    if not url:
        return None
    shown = url[:LONGEST_SHOWN].replace("\x00", "").encode("utf-8", "replace").decode()
    return PASSWORD.sub("//", remove_credentials(shown))


def _explain(given: RejectedUrl | GivenUrl) -> str | Message:
    if isinstance(given, RejectedUrl):
        return explain_rejection(given.reason)
    return Message("This is not a web page: %(scheme)s: URLs cannot be fetched.", {"scheme": given.url.scheme[:20]})


def _folder_tags(link: ImportedLink, use: FolderUse) -> list[str]:
    """Return every folder on the path as a tag, except those that become libraries."""
    skipped = 1 if use is FolderUse.LIBRARIES else 0
    return [name for path in link.folders for name in path[skipped:]]


def _choose_library_name(link: ImportedLink, use: FolderUse) -> str | None:
    if link.library is not None:
        return _one_line(link.library)
    return _library_name_of(link) if use is FolderUse.LIBRARIES else None


def _library_name_of(link: ImportedLink) -> str | None:
    """Return the name of the item's first folder, since an item has one place."""
    return _one_line(link.folders[0][0]) if link.folders and link.folders[0] else None


def _one_line(name: str) -> str | None:
    return parse_line(name[:200])


def _page_body(link: ImportedLink) -> bytes | None:
    match link.content:
        case ImportedPage(content) if 0 < len(content) <= MAX_CONTENT_CHARACTERS:
            title = html.escape(link.title or "")
            return compress(PAGE.format(title=title, content=content).encode("utf-8", "replace"))
        case ImportedCopy(html=content) if 0 < len(content) <= MAX_CONTENT_CHARACTERS:
            return compress(content.encode("utf-8", "replace"))
        case _:
            return None
