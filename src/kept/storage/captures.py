"""Queries about whole pages: the files of a page as it looked, and where they are stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import RowMapping, delete, exists, func, or_, select, update

from kept.domain.capture import Capture, CaptureFailure, CaptureFormat
from kept.domain.failures import FailureCode
from kept.ids import new_id
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.images import folder_of
from kept.storage.tables import (
    capture_failures,
    earlier_copies,
    items,
    libraries,
    media,
    page_captures,
    private_pages,
)
from kept.storage.visibility import visible_to

# What a private media may be made of.
UPLOADED: Final = (CaptureFormat.UPLOAD, CaptureFormat.DOCUMENT)
CAPTURE_COLUMNS = tuple(page_captures.c[name] for name in Capture.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class NewCapture:
    """A capture whose file is stored, but whose row is not yet written."""

    format: CaptureFormat
    blob_key: str
    content_type: str
    size: int
    digest: str | None = None


def capture_key(media_id: UUID, name: str) -> str:
    """Return a new key each time, because a backup may be reading the previous file."""
    return f"pages/{folder_of(media_id)}/{new_id().hex}-{name}"


def document_key(media_id: UUID, digest: str, extension: str) -> str:
    """Return the key of a document's file, which is the same for the same file."""
    return f"pages/{folder_of(media_id)}/{digest[:32]}-document.{extension}"


def file_name_of(capture: Capture) -> str:
    """Return the file name of a capture for people."""
    return capture.blob_key.rpartition("/")[2].partition("-")[2]


def capture_from(row: RowMapping) -> Capture:
    return Capture(**{**row, "format": CaptureFormat(row["format"])})


def put_capture(tx: Connection, media_id: UUID, made: NewCapture, user_id: UUID | None, now: datetime) -> None:
    """Store a capture in place of an older one of its format."""
    values: dict[str, object] = {
        "blob_key": made.blob_key,
        "content_type": made.content_type,
        "size": made.size,
        "digest": made.digest,
        "user_id": user_id,
        "created_at": now,
    }
    insert = upsert(tx, page_captures).values(media_id=media_id, format=made.format, **values)
    tx.execute(insert.on_conflict_do_update(index_elements=["media_id", "format"], set_=values))


def put_failure(tx: Connection, media_id: UUID, failure: CaptureFailure) -> None:
    """Store why a capture failed; the caller has locked the media."""
    values: dict[str, object] = {"code": failure.code, "message": failure.message, "failed_at": failure.failed_at}
    insert = upsert(tx, capture_failures).values(media_id=media_id, **values)
    tx.execute(insert.on_conflict_do_update(index_elements=["media_id"], set_=values))


def delete_failure(tx: Connection, media_id: UUID) -> None:
    tx.execute(delete(capture_failures).where(capture_failures.c.media_id == media_id))


def find_failure(tx: Connection, media_id: UUID) -> CaptureFailure | None:
    row = tx.execute(select(capture_failures).where(capture_failures.c.media_id == media_id)).mappings().one_or_none()
    return CaptureFailure(FailureCode(row["code"]), row["message"], row["failed_at"]) if row else None


def find_original(tx: Connection, media_id: UUID, user_id: UUID) -> Capture | None:
    """Find the HTML file as this user uploaded it. The caller has checked their access to the media."""
    own = (page_captures.c.media_id == media_id, page_captures.c.user_id == user_id)
    query = select(*CAPTURE_COLUMNS).where(*own, page_captures.c.format == CaptureFormat.UPLOAD)
    row = tx.execute(query).mappings().one_or_none()
    return capture_from(row) if row else None


def list_captures(tx: Connection, media_id: UUID) -> list[Capture]:
    """List the captures of a media that the caller has checked."""
    query = select(*CAPTURE_COLUMNS).where(page_captures.c.media_id == media_id).order_by(page_captures.c.format)
    return [capture_from(row) for row in tx.execute(query).mappings()]


def find_capture(tx: Connection, media_id: UUID, wanted: CaptureFormat) -> Capture | None:
    """Find one capture of a media that the caller has checked."""
    own = (page_captures.c.media_id == media_id, page_captures.c.format == wanted)
    row = tx.execute(select(*CAPTURE_COLUMNS).where(*own)).mappings().one_or_none()
    return capture_from(row) if row else None


def find_uploaded(tx: Connection, media_id: UUID) -> Capture | None:
    """Find the file that a private media is made of."""
    own = (page_captures.c.media_id == media_id, page_captures.c.format.in_(UPLOADED))
    row = tx.execute(select(*CAPTURE_COLUMNS).where(*own).limit(1)).mappings().one_or_none()
    return capture_from(row) if row else None


def find_upload(tx: Connection, library_id: UUID, url: str, digest: str) -> UUID | None:
    """Find the media that a library shows at a URL, if it was made of this very file."""
    query = (
        select(private_pages.c.media_id)
        .join(page_captures, page_captures.c.media_id == private_pages.c.media_id)
        .join(items, items.c.media_id == private_pages.c.media_id)
        .where(
            private_pages.c.library_id == library_id,
            private_pages.c.url == url,
            items.c.library_id == library_id,
            page_captures.c.format.in_(UPLOADED),
            page_captures.c.digest == digest,
        )
    )
    return tx.execute(query.limit(1)).scalar_one_or_none()


def count_bytes(tx: Connection, user_id: UUID) -> int:
    """Return the size of all captures the user asked for, of pages they still have."""
    query = (
        select(func.coalesce(func.sum(page_captures.c.size), 0))
        .join(media, media.c.id == page_captures.c.media_id)
        .where(page_captures.c.user_id == user_id, visible_to(user_id))
    )
    return int(tx.execute(query).scalar_one())


def is_wanted(tx: Connection, media_id: UUID) -> bool:
    """Return whether a library that holds the media wants whole pages, or the copy it replaces had one."""
    held = (
        select(items.c.id)
        .join(libraries, libraries.c.id == items.c.library_id)
        .where(items.c.media_id == media_id, libraries.c.captures_pages)
    )
    older = (
        select(page_captures.c.media_id)
        .join(media, media.c.id == page_captures.c.media_id)
        .where(media.c.superseded_by == media_id, page_captures.c.format.not_in(UPLOADED))
    )
    return bool(tx.execute(select(or_(exists(held), exists(older)))).scalar_one())


def move_captures(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    """Move captures to the media that another was merged into, where it lacks that format; documents are not moved."""
    known = select(page_captures.c.format).where(page_captures.c.media_id == new_id)
    own = (page_captures.c.media_id == old_id, page_captures.c.format != CaptureFormat.DOCUMENT)
    tx.execute(update(page_captures).where(*own, page_captures.c.format.not_in(known)).values(media_id=new_id))


def find_named(tx: Connection, keys: Sequence[str]) -> set[str]:
    """Return those of the keys that a capture names; after a merge it may be another media's."""
    return set(tx.execute(select(page_captures.c.blob_key).where(page_captures.c.blob_key.in_(keys))).scalars())


# --- private pages and the copies beside them ---------------------------------------------------------------------


def put_private_page(tx: Connection, library_id: UUID, url: str, media_id: UUID) -> None:
    """Let a library's URL lead to this private media from now on."""
    insert = upsert(tx, private_pages).values(library_id=library_id, url=url, media_id=media_id)
    tx.execute(insert.on_conflict_do_update(index_elements=["library_id", "url"], set_={"media_id": media_id}))


def insert_earlier_copy(tx: Connection, item_id: UUID, shown_item_id: UUID) -> None:
    tx.execute(earlier_copies.insert().values(item_id=item_id, shown_item_id=shown_item_id))
