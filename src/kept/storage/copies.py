"""Queries about copies: several media of one page, of which the newest that is ready has the page's identity.

An older copy's `superseded_by` names the newest, also while that one is still being made. A library that asked for
a new copy holds both, each as an item; `is_in_list` says which of the two is the page's place in a list. At most one
step leads from any copy to the newest: when a new one takes over, the older ones are pointed at it.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, exists, or_, select, update

from kept.domain.item import Item
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.storage.database.engine import Connection
from kept.storage.media import media_from, repoint_aliases, update_media
from kept.storage.tables import earlier_copies, items, media

READY = ProcessingStatus.READY_FOR_READING
# The statements of every article, for a media that is to replace another.
IS_BEING_MADE: Final = select(exists().where(media.c.superseded_by == bindparam("media_id")))
LOCK_REPLACED: Final = select(media).where(media.c.superseded_by == bindparam("media_id")).with_for_update()


@dataclass(frozen=True, slots=True)
class Copy:
    item_id: UUID
    media: Media


@cache
def is_in_list() -> ColumnElement[bool]:
    """Return the condition, on items and media, that an item is the newest ready copy of a page in its library.

    It is built once: building it takes longer than most queries that use it.
    """
    other_item, other = items.alias("other_item"), media.alias("other")
    # This is a value and no join of the two: a database would read all of the library's items for each page that is
    # not ready. PostgreSQL makes a join of `EXISTS`.
    beside = select(other_item.c.id).where(
        other_item.c.library_id == items.c.library_id, other_item.c.media_id == other.c.id
    )
    is_beside = beside.correlate(items, other).limit(1).scalar_subquery().is_not(None)
    has_newer = exists().where(other.c.id == media.c.superseded_by, other.c.processing_status == READY, is_beside)
    has_older = exists().where(other.c.superseded_by == media.c.id, is_beside)
    # This is a value for the same reason: with a join, a search that reads the newest first would find others.
    earlier = select(earlier_copies.c.item_id).where(earlier_copies.c.item_id == items.c.id).correlate(items).limit(1)
    return and_(
        or_(media.c.superseded_by.is_(None), ~has_newer),
        or_(media.c.processing_status == READY, ~has_older),
        earlier.scalar_subquery().is_(None),
    )


def is_being_made(tx: Connection, media_id: UUID) -> bool:
    """Return whether this media is to replace another; until then it has no URL of its own."""
    return bool(tx.execute(IS_BEING_MADE, {"media_id": media_id}).scalar_one())


def find_replaced(tx: Connection, media_id: UUID) -> Media | None:
    """Find and lock the copy that a new one is to replace."""
    row = tx.execute(LOCK_REPLACED, {"media_id": media_id}).mappings().first()
    return media_from(row) if row else None


def list_copies(tx: Connection, library_id: UUID, newest_id: UUID) -> list[Copy]:
    """List a library's copies of a page, newest first: that one, the older ones, and one that is being made."""
    newest = select(media.c.superseded_by).where(media.c.id == newest_id).scalar_subquery()
    shown = select(items.c.id).where(items.c.library_id == library_id, items.c.media_id == newest_id)
    earlier = select(earlier_copies.c.item_id).where(earlier_copies.c.shown_item_id.in_(shown))
    family = or_(
        media.c.id == newest_id, media.c.superseded_by == newest_id, media.c.id == newest, items.c.id.in_(earlier)
    )
    query = (
        select(items.c.id.label("item_id"), media)
        .join(media, media.c.id == items.c.media_id)
        .where(items.c.library_id == library_id, family)
        .order_by(media.c.created_at.desc())
    )
    rows = tx.execute(query).mappings().all()
    return [Copy(row["item_id"], media_from(row)) for row in rows]


def find_newest(tx: Connection, found: Media) -> Media:
    """Return the ready copy that has the page's identity now."""
    query = select(media).where(media.c.id == found.superseded_by, media.c.processing_status == READY)
    row = tx.execute(query).mappings().one_or_none() if found.superseded_by else None
    return media_from(row) if row else found


def find_shown_item(tx: Connection, item_id: UUID) -> UUID | None:
    """Find the item that shows a private copy of the page of which this item holds a former copy."""
    query = select(earlier_copies.c.shown_item_id).where(earlier_copies.c.item_id == item_id)
    return tx.execute(query).scalar_one_or_none()


def repoint_shown(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    """Let former copies belong to another item from now on."""
    changed = update(earlier_copies).where(earlier_copies.c.shown_item_id == old_id, earlier_copies.c.item_id != new_id)
    tx.execute(changed.values(shown_item_id=new_id))


def find_older_item(tx: Connection, library_id: UUID, media_id: UUID) -> Item | None:
    """Find the library's item of a page of which it holds only an older copy."""
    query = (
        select(items)
        .join(media, media.c.id == items.c.media_id)
        .where(items.c.library_id == library_id, media.c.superseded_by == media_id)
        .order_by(media.c.created_at.desc())
        .limit(1)
    )
    row = tx.execute(query).mappings().one_or_none()
    return Item(**row) if row else None


def find_previous_copy(tx: Connection, media_id: UUID) -> UUID | None:
    """Find the newest older copy that somebody holds."""
    held = exists().where(items.c.media_id == media.c.id)
    query = select(media.c.id).where(media.c.superseded_by == media_id, held).order_by(media.c.created_at.desc())
    return tx.execute(query.limit(1)).scalar_one_or_none()


def pass_on_identity(tx: Connection, from_id: UUID, to_id: UUID, now: datetime) -> None:
    """Let the page's URLs lead to another copy from now on, and let every other copy point at it."""
    query = select(media.c.canonical_url).where(media.c.id == from_id)
    canonical_url = tx.execute(query).scalar_one()
    update_media(tx, from_id, now, canonical_url=None)
    update_media(tx, to_id, now, canonical_url=canonical_url, superseded_by=None)
    repoint_aliases(tx, from_id, to_id)
    others = (media.c.superseded_by == from_id, media.c.id != to_id)
    tx.execute(update(media).where(*others).values(superseded_by=to_id))
