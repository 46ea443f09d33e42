"""Queries about lists as apps ask for them: one person's own library, by offsets, with exact counts; and what changed.

Everything is asked of `synced_items`, whose indexes answer what most lists ask.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select, text, tuple_

from kept.domain.lifecycle import GIVEN_UP, ProcessingStatus
from kept.domain.synced import (
    ReadStatus,
    SyncEvent,
    SyncFilter,
    SyncOrder,
    SyncPage,
    TagTerm,
    WordField,
    WordTerm,
)
from kept.storage.database.dialects import Query
from kept.storage.database.engine import Connection
from kept.storage.items import NEARBY, ListSource, TaggedList, list_tagged_nearby, narrow_by_state, select_tagged
from kept.storage.search.dialects import dialect_of
from kept.storage.search.scope import at_site
from kept.storage.tables import item_tags, item_tombstones, items, media, reading_states, synced_items, tags

LOADED: Final = (ProcessingStatus.READY_FOR_READING, ProcessingStatus.CARD_ONLY, *GIVEN_UP)
SYNCED_SOURCE: Final = ListSource(
    synced_items.c.item_id,
    synced_items.c.created_at,
    lambda value: synced_items.c.is_unread == value,
    lambda value: synced_items.c.is_favourite == value,
    lambda value: synced_items.c.is_archived == value,
)
OWN_ORDERS: Final[dict[SyncOrder, ColumnElement[Any]]] = {
    SyncOrder.CREATED: synced_items.c.created_at,
    SyncOrder.CHANGED: synced_items.c.changed_at,
    SyncOrder.ARCHIVED: synced_items.c.archived_at,
}
PAGE_ORDERS: Final[dict[SyncOrder, ColumnElement[Any]]] = {
    SyncOrder.TITLE: func.lower(func.coalesce(items.c.title, media.c.title, items.c.url)),
    SyncOrder.SITE: func.lower(func.coalesce(media.c.site_name, items.c.url)),
    SyncOrder.DURATION: func.coalesce(media.c.word_count, 0),
    SyncOrder.PUBLISHED: func.coalesce(media.c.published_at, items.c.created_at),
}
WORD_COLUMNS: Final[dict[WordField, tuple[ColumnElement[Any], ...]]] = {
    WordField.TITLE: (func.coalesce(items.c.title, media.c.title),),
    WordField.AUTHOR: (media.c.byline,),
    WordField.SITE: (media.c.site_name, items.c.url),
}


@dataclass(frozen=True, slots=True)
class ListScope:
    """A person and their own library, which is listed."""

    user_id: UUID
    library_id: UUID
    among: Collection[UUID] | None = None
    """The only items to list, if not all."""


@dataclass(frozen=True, slots=True)
class FoundItems:
    item_ids: list[UUID]
    total: int


def find_items(tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage) -> FoundItems:
    """Return one page of a list, in its order, and the total of the whole list."""
    if wanted.tags and (near := list_ids_nearby(tx, scope, wanted, page)):
        return FoundItems(near, count_tagged(tx, scope, wanted))
    if scope.among is not None or is_selective(wanted):
        counted = list_counted(tx, scope, wanted, page)
        if counted.item_ids or not page.offset:
            return counted
    total = count(tx, scope, wanted)
    return FoundItems(list_from_nearer_end(tx, scope, wanted, page, total), total)


def find_first_items(tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage) -> list[UUID]:
    """Return a page near the beginning of a list that `is_counted_apart`, without the total."""
    near = list_ids_nearby(tx, scope, wanted, page) if wanted.tags else None
    return near or list_ids(tx, scope, wanted, page)


def count_items(tx: Connection, scope: ListScope, wanted: SyncFilter) -> int:
    return count_tagged(tx, scope, wanted) if wanted.tags else count(tx, scope, wanted)


def is_counted_apart(wanted: SyncFilter, page: SyncPage) -> bool:
    """Return whether page and total of a whole library are found by separate queries, which can run at once: on
    PostgreSQL the total of 100,000 takes as long as everything else."""
    return page.offset + page.limit <= NEARBY and not is_selective(replace(wanted, tags=()))


def is_selective(wanted: SyncFilter) -> bool:
    """Return whether the list needs more than an index that also counts it."""
    indexed = SyncFilter(
        is_archived=wanted.is_archived,
        is_favourite=wanted.is_favourite,
        is_unread=wanted.is_unread,
        read_statuses=wanted.read_statuses if ReadStatus.READING not in wanted.read_statuses else frozenset(),
        changed_after=wanted.changed_after,
        changed_since=wanted.changed_since,
        added_after=wanted.added_after,
        added_before=wanted.added_before,
    )
    return wanted != indexed


def list_counted(tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage) -> FoundItems:
    """Return a page and its total in one query that reads the rows once. An empty page has the total 0."""
    query: Query = select(synced_items.c.item_id, func.count().over()).where(*conditions(tx, scope, wanted))
    rows = tx.execute(in_order(query, page).offset(page.offset).limit(page.limit)).all()
    return FoundItems([item_id for item_id, _ in rows], rows[0][1] if rows else 0)


def list_from_nearer_end(
    tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage, total: int
) -> list[UUID]:
    """Return a page, from the end of the list where that is nearer: the rows of an offset are read one by one."""
    left = total - page.offset
    if left <= 0:
        return []
    if left > total // 2 or page.order is SyncOrder.ARCHIVED:
        return list_ids(tx, scope, wanted, page)
    size = min(page.limit, left)
    turned = replace(page, is_descending=not page.is_descending, offset=left - size, limit=size)
    return list_ids(tx, scope, wanted, turned)[::-1]


def list_ids(tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage) -> list[UUID]:
    query: Query = select(synced_items.c.item_id).where(*conditions(tx, scope, wanted))
    return list(tx.execute(in_order(query, page).offset(page.offset).limit(page.limit)).scalars())


def count(tx: Connection, scope: ListScope, wanted: SyncFilter) -> int:
    query = select(func.count()).select_from(synced_items).where(*conditions(tx, scope, wanted))
    if wanted.is_archived is None and (wanted.is_unread is not None or wanted.read_statuses):
        query = query.where(synced_items.c.is_archived.in_([True, False]))  # the index of these has what is read, too
    return int(tx.execute(query).scalar_one())


def list_ids_nearby(tx: Connection, scope: ListScope, wanted: SyncFilter, page: SyncPage) -> list[UUID] | None:
    """Return a page near the beginning of a list by tags, by `list_tagged_nearby`; None where there are too few."""
    last = page.offset + page.limit
    if page.order is not SyncOrder.CREATED or last > NEARBY:
        return None
    listed: Query = select(synced_items.c.item_id).where(*conditions(tx, scope, replace(wanted, tags=())))
    tagged = TaggedList(scope.library_id, wanted.tags, page.is_descending)
    found = list_tagged_nearby(tx, SYNCED_SOURCE, listed, tagged, limit=last)
    return found[page.offset :] if len(found) == last else None


def count_tagged(tx: Connection, scope: ListScope, wanted: SyncFilter) -> int:
    """Count the items with the tags; for one tag alone the items themselves are not read."""
    [tag, *others] = wanted.tags
    if others or wanted != SyncFilter(tags=wanted.tags):
        return count(tx, scope, wanted)
    tagged = select_tagged([scope.library_id], tag)
    every = tx.execute(select(func.count()).select_from(tagged.subquery())).scalar_one()
    hidden = (
        select(func.count())
        .select_from(synced_items)
        .where(
            synced_items.c.library_id == scope.library_id, ~synced_items.c.is_listed, synced_items.c.item_id.in_(tagged)
        )
    )
    return int(every) - int(tx.execute(hidden).scalar_one())


def in_order(query: Query, page: SyncPage) -> Query:
    """Order a query; ties are ordered by id, so that the order never changes between two pages."""
    if page.order in PAGE_ORDERS:
        query = query.join(items, items.c.id == synced_items.c.item_id).join(media, media.c.id == items.c.media_id)
    column = (OWN_ORDERS | PAGE_ORDERS)[page.order]
    keys = [key.desc() if page.is_descending else key.asc() for key in (column, synced_items.c.item_id)]
    if page.order is SyncOrder.ARCHIVED:  # what is not archived comes last, on either database
        keys[0] = keys[0].nulls_last()
    return query.order_by(*keys)


# --- what is asked ----------------------------------------------------------------------------------------------


def conditions(tx: Connection, scope: ListScope, wanted: SyncFilter) -> list[ColumnElement[bool]]:
    found = [synced_items.c.is_listed, *narrow_by_own_columns(wanted), *narrow_by_tags(scope, wanted)]
    # a tag belongs to one library: told that as well, SQLite would read all of the library's items
    if not wanted.tags:
        found.append(synced_items.c.library_id == scope.library_id)
    if wanted.site is not None:
        found.append(synced_items.c.item_id.in_(at_site(dialect_of(tx), wanted.site)))
    found += (synced_items.c.item_id.in_(some) for some in (scope.among, wanted.item_ids) if some is not None)
    if wanted.read_statuses:
        started = select_started(scope)
        found.append(or_(*(has_status(status, started) for status in sorted(wanted.read_statuses))))
    if of_pages := list(narrow_by_pages(wanted)):
        found.append(synced_items.c.item_id.in_(select_of_pages(scope).where(*of_pages)))
    return found


def narrow_by_own_columns(wanted: SyncFilter) -> Iterator[ColumnElement[bool]]:
    yield from narrow_by_state(SYNCED_SOURCE, wanted)
    if wanted.changed_after is not None:
        yield synced_items.c.changed_at > wanted.changed_after
    if wanted.changed_since is not None:
        yield synced_items.c.changed_at >= wanted.changed_since


def narrow_by_tags(scope: ListScope, wanted: SyncFilter) -> Iterator[ColumnElement[bool]]:
    item_id = synced_items.c.item_id
    if wanted.is_tagged is not None:
        has_tags = exists().where(item_tags.c.item_id == item_id)
        yield has_tags if wanted.is_tagged else ~has_tags
    yield from (item_id.in_(select_tagged([scope.library_id], name)) for name in wanted.tags)
    for term in wanted.tag_terms:
        found = item_id.in_(select_by_term(scope, term))
        yield ~found if term.is_excluded else found


def select_by_term(scope: ListScope, term: TagTerm) -> Query:
    if not term.is_beginning:
        return select_tagged([scope.library_id], term.name)
    tagged = select(item_tags.c.item_id).join(tags, tags.c.id == item_tags.c.tag_id)
    return tagged.where(tags.c.library_id == scope.library_id, tags.c.name.startswith(term.name, autoescape=True))


def select_started(scope: ListScope) -> Query:
    """Select items that their owner has begun to read."""
    query = select(items.c.id).join(reading_states, reading_states.c.media_id == items.c.media_id)
    return query.where(
        items.c.library_id == scope.library_id,
        reading_states.c.user_id == scope.user_id,
        # as the index `ix_reading_states_started` says it
        text("reading_states.progress > 0 AND reading_states.read_at IS NULL"),
    )


def has_status(status: ReadStatus, started: Query) -> ColumnElement[bool]:
    match status:
        case ReadStatus.READ:
            return ~synced_items.c.is_unread
        case ReadStatus.READING:
            return synced_items.c.item_id.in_(started)
        case ReadStatus.UNREAD:
            return and_(synced_items.c.is_unread, synced_items.c.item_id.not_in(started))


def select_of_pages(scope: ListScope) -> Query:
    query = select(items.c.id).join(media, media.c.id == items.c.media_id)
    return query.where(items.c.library_id == scope.library_id)


def narrow_by_pages(wanted: SyncFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions on items and their pages themselves."""
    yield from map(has_words, wanted.words)
    status = media.c.processing_status
    if wanted.has_failed is not None:
        yield status.in_(GIVEN_UP) if wanted.has_failed else status.not_in(GIVEN_UP)
    if wanted.is_loaded is not None:
        yield status.in_(LOADED) if wanted.is_loaded else status.not_in(LOADED)


def has_words(term: WordTerm) -> ColumnElement[bool]:
    columns = (func.coalesce(column, "") for column in WORD_COLUMNS[term.field])
    found = or_(*(column.icontains(term.text, autoescape=True) for column in columns))
    return ~found if term.is_excluded else found


# --- what changed -----------------------------------------------------------------------------------------------


def list_changes(
    tx: Connection, library_id: UUID, since: datetime | None, after: SyncEvent | None, *, limit: int
) -> list[SyncEvent]:
    """List changes, the earliest first, after `after`. What changes meanwhile comes again, at the end."""
    place = tuple_(synced_items.c.changed_at, synced_items.c.item_id)
    query = select_events(library_id, since, is_listed=True)
    if after is not None:
        query = query.where(place > (after.at, after.item_id))
    rows = tx.execute(query.order_by(synced_items.c.changed_at, synced_items.c.item_id).limit(limit))
    return [SyncEvent(item_id, at) for item_id, at in rows]


def list_removals(tx: Connection, library_id: UUID, since: datetime) -> list[SyncEvent]:
    """List the removals of items that have not come back, and of copies that another replaced."""
    is_back = exists().where(items.c.id == item_tombstones.c.item_id, items.c.library_id == library_id)
    left = select(item_tombstones.c.item_id, item_tombstones.c.removed_at).where(
        item_tombstones.c.library_id == library_id, item_tombstones.c.removed_at >= since, ~is_back
    )
    rows = [*tx.execute(left), *tx.execute(select_events(library_id, since, is_listed=False))]
    return [SyncEvent(item_id, removed_at, is_removed=True) for item_id, removed_at in rows]


def select_events(library_id: UUID, since: datetime | None, *, is_listed: bool) -> Query:
    columns = synced_items.c
    query = select(columns.item_id, columns.changed_at)
    query = query.where(columns.library_id == library_id, columns.is_listed == is_listed)
    return query if since is None else query.where(columns.changed_at >= since)


def forget_tombstones(tx: Connection, before: datetime) -> None:
    tx.execute(delete(item_tombstones).where(item_tombstones.c.removed_at < before))
