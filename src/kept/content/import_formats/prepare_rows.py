"""A file's entries made ready to be written, before any transaction: URLs normalised, texts cleaned, dates
sane."""

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.compression import compress
from kept.domain.imported import (
    FolderUse,
    ImportedCopy,
    ImportedEntry,
    ImportedLink,
    ImportedPage,
    Rejected,
    clamp_instant,
    reading_of,
    user_fields_of,
)
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import ReadingState, UserFields
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, UrlRejection, parse_url

LONGEST_SHOWN: Final = 2048
MAX_CONTENT_CHARACTERS: Final = 10 * 1024 * 1024
LONGEST_REASON: Final = 500
REASONS: Final = {
    UrlRejection.EMPTY: "There is no URL.",
    UrlRejection.TOO_LONG: "The URL is too long.",
    UrlRejection.CREDENTIALS: "The URL has a password in it.",
}
NO_URL: Final = "This is not a URL."
PAGE: Final = (
    '<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body>{content}</body></html>'
)


@dataclass(frozen=True, slots=True)
class StoredImages:
    """A copy's images as rows will name them; one without a key could not be stored."""

    images: tuple[tuple[UUID, str, str | None, str | None], ...] = ()
    """Each with its id, origin, key and type."""
    screenshot_key: str | None = None


@dataclass(frozen=True, slots=True)
class PreparedLink:
    """A row that can become an item."""

    ordinal: int
    url: NormalisedUrl
    fields: UserFields
    reading: ReadingState
    added_at: datetime | None
    library_name: str | None = None
    """Where its folder becomes a library, the name of that."""
    body: bytes | None = None
    """The page that came with it, compressed."""

    updated_at: datetime | None = None
    is_exact: bool = False
    copy: ImportedCopy | None = field(default=None, repr=False)
    """Without its article, which is the body."""
    images: StoredImages | None = None
    """Those of the copy, once they are in the blob store."""


PreparedRow = PreparedLink | ImportedRow


def prepare_rows(
    entries: Iterable[ImportedEntry], *, first: int, folder_use: FolderUse, now: datetime
) -> Iterator[PreparedRow]:
    return (_prepare_row(entry, number, folder_use, now) for number, entry in enumerate(entries, first))


def _prepare_row(entry: ImportedEntry, ordinal: int, folder_use: FolderUse, now: datetime) -> PreparedRow:
    if isinstance(entry, Rejected):
        return ImportedRow(ordinal, _shown(entry.url), RowOutcome.REJECTED, entry.reason[:LONGEST_REASON])
    url = parse_url(entry.url)
    if not isinstance(url, NormalisedUrl):
        return ImportedRow(ordinal, _shown(entry.url), RowOutcome.REJECTED, _explain(url))
    return PreparedLink(
        ordinal,
        url,
        user_fields_of(entry, extra_tags=_folder_tags(entry, folder_use)),
        reading_of(entry, now=now),
        clamp_instant(entry.added_at, now=now),
        _choose_library_name(entry, folder_use),
        _page_body(entry),
        clamp_instant(entry.updated_at, now=now),
        entry.is_exact,
        replace(entry.content, html="") if isinstance(entry.content, ImportedCopy) else None,
    )


def _shown(url: str | None) -> str | None:
    return url.replace("\x00", "").encode("utf-8", "replace").decode()[:LONGEST_SHOWN] if url else None


def _explain(url: RejectedUrl | OtherSchemeUrl) -> str:
    if isinstance(url, OtherSchemeUrl):
        return f"This is not a web page: {url.scheme[:20]}: URLs cannot be fetched."
    return REASONS.get(url.reason, NO_URL)


def _folder_tags(link: ImportedLink, use: FolderUse) -> list[str]:
    """Every folder on the way is a tag; those that become libraries are not."""
    skipped = 1 if use is FolderUse.LIBRARIES else 0
    return [name for path in link.folders for name in path[skipped:]]


def _choose_library_name(link: ImportedLink, use: FolderUse) -> str | None:
    if link.library is not None:
        return _one_line(link.library)
    return _library_name_of(link) if use is FolderUse.LIBRARIES else None


def _library_name_of(link: ImportedLink) -> str | None:
    """An item has one place: that of its first folder."""
    return _one_line(link.folders[0][0]) if link.folders and link.folders[0] else None


def _one_line(name: str) -> str | None:
    name = " ".join(name.split())[:200]
    return name if name.isprintable() and name else None


def _page_body(link: ImportedLink) -> bytes | None:
    match link.content:
        case ImportedPage(content) if 0 < len(content) <= MAX_CONTENT_CHARACTERS:
            title = html.escape(link.title or "")
            return compress(PAGE.format(title=title, content=content).encode("utf-8", "replace"))
        case ImportedCopy(html=content) if 0 < len(content) <= MAX_CONTENT_CHARACTERS:
            return compress(content.encode("utf-8", "replace"))
        case _:
            return None
