"""Queries of programs that list by offset, and of those that ask what changed since they last did."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select

from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.lifecycle import GIVEN_UP, ProcessingStatus
from kept.domain.offset_list import ItemEvent, OffsetList, ReadStatus, SortKey
from kept.storage.copies import is_in_list
from kept.storage.database.engine import Connection
from kept.storage.items import cards_from, conditions, select_cards, select_tagged, with_states
from kept.storage.tables import item_tags, item_tombstones, items, media, reading_states

LOADED: Final = (ProcessingStatus.READY_FOR_READING, ProcessingStatus.CARD_ONLY, *GIVEN_UP)
NO_PROGRESS: Final = func.coalesce(reading_states.c.progress, 0.0)
READ_CONDITIONS: Final[dict[ReadStatus, ColumnElement[bool]]] = {
    ReadStatus.UNREAD: and_(reading_states.c.read_at.is_(None), NO_PROGRESS == 0),
    ReadStatus.READING: and_(reading_states.c.read_at.is_(None), NO_PROGRESS > 0),
    ReadStatus.READ: reading_states.c.read_at.is_not(None),
}
ORDERS: Final[dict[SortKey, ColumnElement[Any]]] = {
    SortKey.CREATED: items.c.created_at,
    SortKey.TITLE: func.lower(func.coalesce(items.c.title, media.c.title, items.c.url)),
    SortKey.SITE: func.lower(func.coalesce(media.c.site_name, items.c.url)),
    SortKey.DURATION: func.coalesce(media.c.word_count, 0),
    SortKey.PUBLISHED: func.coalesce(media.c.published_at, items.c.created_at),
}


def list_by_offset(tx: Connection, user_id: UUID, wanted: OffsetList) -> list[Card]:
    """Ties by id, so that the order never changes between two pages."""
    keys = (ORDERS[wanted.sort], items.c.id)
    ordered = keys if not wanted.is_descending else [key.desc() for key in keys]
    query = select_cards(user_id).where(*narrow(wanted)).order_by(*ordered)
    return cards_from(tx, query.limit(wanted.limit).offset(wanted.offset))


def count_by_offset(tx: Connection, user_id: UUID, wanted: OffsetList) -> int:
    if is_counted_by_index(wanted) and not has_copies(tx, wanted.filter.library_ids[0]):
        return count_by_index(tx, user_id, wanted)
    query = with_states(select(func.count()).select_from(items), user_id).where(*narrow(wanted))
    return int(tx.execute(query).scalar_one())


def is_counted_by_index(wanted: OffsetList) -> bool:
    """Whether nothing is asked but what most lists ask: all, archived or not, favourites or not, of some tags."""
    states = {name: getattr(wanted.filter, name) for name in ("library_ids", "is_archived", "is_favourite")}
    asked = replace(wanted, sort=SortKey.CREATED, is_descending=True, offset=0, limit=50)
    return asked == OffsetList(ItemFilter(**states), tags=wanted.tags)


def has_copies(tx: Connection, library_id: UUID) -> bool:
    """Whether the library holds two copies of any page, of which one is not in the list; few libraries do."""
    is_held = exists().where(items.c.media_id == media.c.id, items.c.library_id == library_id)
    # A comparison instead of IS NOT NULL: for that SQLite would not use the index.
    found = select(media.c.id).where(media.c.superseded_by > UUID(int=0), is_held)
    return tx.execute(found.limit(1)).first() is not None


def count_by_index(tx: Connection, user_id: UUID, wanted: OffsetList) -> int:
    """Counted from indexes, without a look at any item or page."""
    states = {reading_states.c.is_archived: wanted.filter.is_archived}
    states |= {reading_states.c.is_favourite: wanted.filter.is_favourite}
    having = [column for column, is_wanted in states.items() if is_wanted]
    lacking = [column for column, is_wanted in states.items() if is_wanted is False]
    if having:
        return count_with_states(tx, user_id, wanted, and_(*having, *(~column for column in lacking)))
    held = select(func.count()).select_from(items).where(*held_with_tags(wanted))
    total = int(tx.execute(held).scalar_one())
    return total - count_with_states(tx, user_id, wanted, or_(*lacking)) if lacking else total


def count_with_states(tx: Connection, user_id: UUID, wanted: OffsetList, state: ColumnElement[bool]) -> int:
    """Of items that the user has said something of; who said nothing has none of these states."""
    joined = reading_states.join(items, items.c.media_id == reading_states.c.media_id)
    query = select(func.count()).select_from(joined).where(reading_states.c.user_id == user_id, state)
    return int(tx.execute(query.where(*held_with_tags(wanted))).scalar_one())


def held_with_tags(wanted: OffsetList) -> Iterator[ColumnElement[bool]]:
    yield items.c.library_id == wanted.filter.library_ids[0]
    yield from (items.c.id.in_(select_tagged(wanted.filter.library_ids, tag)) for tag in wanted.tags)


def narrow(wanted: OffsetList) -> Iterator[ColumnElement[bool]]:
    yield from conditions(wanted.filter)
    yield from (items.c.id.in_(select_tagged(wanted.filter.library_ids, tag)) for tag in wanted.tags)
    if wanted.item_ids is not None:
        yield items.c.id.in_(wanted.item_ids)
    if wanted.changed_since is not None:
        yield has_changed_since(wanted.changed_since)
    if wanted.read_statuses:
        yield or_(*(READ_CONDITIONS[status] for status in sorted(wanted.read_statuses)))
    if wanted.title:
        yield func.coalesce(items.c.title, media.c.title, "").icontains(wanted.title, autoescape=True)
    if wanted.author:
        yield media.c.byline.icontains(wanted.author, autoescape=True)
    if wanted.site:
        yield or_(
            media.c.site_name.icontains(wanted.site, autoescape=True),
            items.c.url.icontains(wanted.site, autoescape=True),
        )
    if wanted.has_tags is not None:
        tagged = exists().where(item_tags.c.item_id == items.c.id)
        yield tagged if wanted.has_tags else ~tagged
    if wanted.is_loaded is not None:
        is_loaded = media.c.processing_status.in_(LOADED)
        yield is_loaded if wanted.is_loaded else ~is_loaded


# --- what changed -----------------------------------------------------------------------------------------------

CHANGED: Final = (items.c.updated_at, media.c.updated_at, reading_states.c.updated_at)


def has_changed_since(since: datetime) -> ColumnElement[bool]:
    return or_(*(column >= since for column in CHANGED))


def list_changed_at(tx: Connection, user_id: UUID, item_ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """By item: when it, its page, or the viewer's reading of it last changed; highlights count as reading."""
    query = with_states(select(items.c.id, *CHANGED).select_from(items), user_id)
    rows = tx.execute(query.where(items.c.id.in_(item_ids))).all() if item_ids else []
    return {item_id: max(filter(None, moments)) for item_id, *moments in rows}


def list_changes(
    tx: Connection, user_id: UUID, library_id: UUID, since: datetime | None, after: UUID | None, *, limit: int
) -> list[ItemEvent]:
    """Items that are in the list and changed, in the order of their ids, from the one after `after` on."""
    query = with_states(select(items.c.id, *CHANGED).select_from(items), user_id)
    query = query.where(items.c.library_id == library_id, is_in_list())
    if since is not None:
        query = query.where(has_changed_since(since))
    if after is not None:
        query = query.where(items.c.id > after)
    rows = tx.execute(query.order_by(items.c.id).limit(limit)).all()
    return [ItemEvent(item_id, max(filter(None, moments))) for item_id, *moments in rows]


def list_removals(tx: Connection, library_id: UUID, since: datetime) -> list[ItemEvent]:
    """Of items that are not there again."""
    is_back = exists().where(items.c.id == item_tombstones.c.item_id, items.c.library_id == library_id)
    query = select(item_tombstones.c.item_id, item_tombstones.c.removed_at).where(
        item_tombstones.c.library_id == library_id, item_tombstones.c.removed_at >= since, ~is_back
    )
    rows = tx.execute(query.order_by(item_tombstones.c.removed_at, item_tombstones.c.item_id)).all()
    return [ItemEvent(item_id, removed_at, is_removed=True) for item_id, removed_at in rows]


def forget_tombstones(tx: Connection, before: datetime) -> None:
    tx.execute(delete(item_tombstones).where(item_tombstones.c.removed_at < before))
