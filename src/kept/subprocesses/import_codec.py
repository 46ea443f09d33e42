"""Rows of an imported file as frames, between the worker and the process that reads the file.

Each row is JSON, with its page (compressed) right after it. What comes back was made beside hostile bytes, so each
value is checked again on arrival.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.domain.highlight import NewHighlight
from kept.domain.imported import ImportedCapture, ImportedCopy, ImportedImage, ImportedNumbers
from kept.domain.importing import ImportedRow
from kept.domain.item import ReadingState, UserFields
from kept.subprocesses.frames import Frame, FrameError
from kept.urls.given import UrlNotice
from kept.urls.url import get_url


@dataclass(frozen=True, slots=True)
class _Copy:
    key: str
    newer_key: str | None
    texts: dict[str, str | None]
    moments: dict[str, datetime]
    images: tuple[ImportedImage, ...]
    screenshot: ImportedImage | None
    captures: tuple[ImportedCapture, ...]


@dataclass(frozen=True, slots=True)
class _Link:
    ordinal: int
    url: str
    given_url: str
    fields: UserFields
    reading: ReadingState
    added_at: datetime | None
    library_name: str | None
    updated_at: datetime | None
    is_exact: bool
    notices: tuple[UrlNotice, ...]
    highlights: tuple[NewHighlight, ...]
    copy: _Copy | None = field(repr=False)
    numbers: ImportedNumbers | None


_ROW: Final[TypeAdapter[_Link | ImportedRow]] = TypeAdapter(_Link | ImportedRow)


def encode_row(row: PreparedRow) -> tuple[bytes, bytes]:
    """The row, and the page that came with it."""
    if not isinstance(row, PreparedLink):
        return _ROW.dump_json(row), b""
    link = _Link(
        row.ordinal,
        str(row.url),
        row.given_url,
        row.fields,
        row.reading,
        row.added_at,
        row.library_name,
        row.updated_at,
        row.is_exact,
        row.notices,
        row.highlights,
        _describe_copy(row.copy) if row.copy else None,
        row.numbers,
    )
    return _ROW.dump_json(link), row.body or b""


def encode_rows(rows: Sequence[tuple[bytes, bytes]], *, is_over: bool) -> Frame:
    sizes = [[len(row), len(page)] for row, page in rows]
    return Frame({"sizes": sizes, "is_over": is_over}, b"".join(part for row in rows for part in row))


def parse_rows(frame: Frame) -> tuple[list[PreparedRow], bool]:
    """The rows, and whether they are the last; `FrameError` if our program could not have said that."""
    rows: list[PreparedRow] = []
    at = 0
    try:
        for row_bytes, page_bytes in frame.header["sizes"]:
            row_end = at + row_bytes
            at = row_end + page_bytes
            rows.append(_parse_row(frame.body[row_end - row_bytes : row_end], frame.body[row_end:at]))
    except (KeyError, TypeError, ValueError) as error:  # pydantic's errors are ValueErrors
        raise FrameError(f"rows that make no sense: {error}") from None
    return rows, bool(frame.header.get("is_over"))


def _parse_row(data: bytes, page: bytes) -> PreparedRow:
    row = _ROW.validate_json(data)
    if isinstance(row, ImportedRow):
        return row
    return PreparedLink(
        row.ordinal,
        get_url(row.url),
        row.given_url,
        row.fields,
        row.reading,
        row.added_at,
        row.library_name,
        page or None,
        row.updated_at,
        row.is_exact,
        _parse_copy(row.copy) if row.copy else None,
        row.notices,
        row.highlights,
        numbers=row.numbers,
    )


def _describe_copy(copy: ImportedCopy) -> _Copy:
    moments = {name: value for name, value in copy.page.items() if isinstance(value, datetime)}
    texts = {name: value for name, value in copy.page.items() if not isinstance(value, datetime)}
    return _Copy(copy.key, copy.newer_key, texts, moments, copy.images, copy.screenshot, copy.captures)


def _parse_copy(copy: _Copy) -> ImportedCopy:
    page = {**copy.texts, **copy.moments}
    return ImportedCopy(copy.key, copy.newer_key, "", page, copy.images, copy.screenshot, copy.captures)
