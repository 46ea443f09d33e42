"""A file's entries made ready to be written, before any transaction: addresses normalised, words cleaned, dates
sane."""

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from kept.compression import compress
from kept.domain.imported import (
    FolderUse,
    ImportedEntry,
    ImportedLink,
    ImportedPage,
    Rejected,
    clamp_instant,
    reading_of,
    words_of,
)
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import ReadingState, Words
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, RejectedUrl, UrlRejection, parse_url

LONGEST_SHOWN: Final = 2048
MAX_CONTENT_BYTES: Final = 10 * 1024 * 1024
REASONS: Final = {
    UrlRejection.EMPTY: "There is no address.",
    UrlRejection.TOO_LONG: "The address is too long.",
    UrlRejection.CREDENTIALS: "The address has a password in it.",
}
NO_ADDRESS: Final = "This is not a web address."
PAGE: Final = (
    '<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body>{content}</body></html>'
)


@dataclass(frozen=True, slots=True)
class PreparedLink:
    """A row that can become an item."""

    ordinal: int
    url: NormalisedUrl
    words: Words
    reading: ReadingState
    added_at: datetime | None
    library_name: str | None = None
    """Where its folder becomes a library, the name of that."""
    body: bytes | None = None
    """The page that came with it, compressed."""


PreparedRow = PreparedLink | ImportedRow


def prepare_rows(
    entries: Iterable[ImportedEntry], *, first: int, folder_use: FolderUse, now: datetime
) -> Iterator[PreparedRow]:
    return (prepare_row(entry, number, folder_use, now) for number, entry in enumerate(entries, first))


def prepare_row(entry: ImportedEntry, ordinal: int, folder_use: FolderUse, now: datetime) -> PreparedRow:
    if isinstance(entry, Rejected):
        return ImportedRow(ordinal, shown(entry.url), RowOutcome.REJECTED, entry.reason)
    url = parse_url(entry.url)
    if not isinstance(url, NormalisedUrl):
        return ImportedRow(ordinal, shown(entry.url), RowOutcome.REJECTED, explain(url))
    return PreparedLink(
        ordinal,
        url,
        words_of(entry, extra_tags=folder_tags(entry, folder_use)),
        reading_of(entry, now=now),
        clamp_instant(entry.added_at, now=now),
        library_name_of(entry) if folder_use is FolderUse.LIBRARIES else None,
        page_body(entry),
    )


def shown(url: str | None) -> str | None:
    return url.replace("\x00", "").encode("utf-8", "replace").decode()[:LONGEST_SHOWN] if url else None


def explain(url: RejectedUrl | OtherSchemeUrl) -> str:
    if isinstance(url, OtherSchemeUrl):
        return f"This is not a web page: {url.scheme[:20]}: addresses cannot be fetched."
    return REASONS.get(url.reason, NO_ADDRESS)


def folder_tags(link: ImportedLink, use: FolderUse) -> list[str]:
    """Every folder on the way is a tag; those that become libraries are not."""
    skipped = 1 if use is FolderUse.LIBRARIES else 0
    return [name for path in link.folders for name in path[skipped:]]


def library_name_of(link: ImportedLink) -> str | None:
    """An item has one place: that of its first folder."""
    name = " ".join(link.folders[0][0].split())[:200] if link.folders and link.folders[0] else ""
    return name if name.isprintable() and name else None


def page_body(link: ImportedLink) -> bytes | None:
    match link.content:
        case ImportedPage(content) if 0 < len(content) <= MAX_CONTENT_BYTES:
            title = html.escape(link.title or "")
            return compress(PAGE.format(title=title, content=content).encode("utf-8", "replace"))
        case _:
            return None
