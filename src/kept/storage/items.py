"""Queries about items, tags and reading states: the cards a viewer sees."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from kept.domain.item import Card, Item, ItemFilter, ReadingState, StateFilter
from kept.domain.lifecycle import GIVEN_UP
from kept.domain.paging import Position
from kept.ids import new_id
from kept.storage.copies import READY, is_in_list, repoint_shown
from kept.storage.database.dialects import Columns, Expression, Parameter, Query, upsert
from kept.storage.database.engine import Connection
from kept.storage.libraries import first_of_each
from kept.storage.media import media_of_columns
from kept.storage.tables import (
    earlier_copies,
    import_rows,
    item_tags,
    items,
    library_members,
    media,
    merged_items,
    reading_states,
    tags,
)

# A tag is frequent if so many items have it: a page of its list is then searched in the next NEARBY items.
FREQUENT: Final = 500
NEARBY: Final = 2_000
StateColumn = Callable[[bool], ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class ListSource:
    """The columns that a list's filter uses: of the items themselves, or of the table for apps."""

    item_id: ColumnElement[UUID]
    created_at: ColumnElement[datetime]
    is_unread: StateColumn
    is_favourite: StateColumn
    is_archived: StateColumn


@dataclass(frozen=True, slots=True)
class TaggedList:
    """A list of the items in one library that have all of some tags, by when they were added."""

    library_id: UUID
    names: tuple[str, ...]
    is_descending: bool

    def in_order(self, *keys: Expression) -> list[Expression]:
        return [key.desc() if self.is_descending else key.asc() for key in keys]


READING_COLUMNS: Final = tuple(reading_states.c[name] for name in ReadingState.__dataclass_fields__)


def is_unread(value: bool) -> ColumnElement[bool]:
    return reading_states.c.read_at.is_(None) if value else reading_states.c.read_at.is_not(None)


ITEM_SOURCE: Final = ListSource(
    items.c.id,
    items.c.created_at,
    is_unread,
    lambda value: func.coalesce(reading_states.c.is_favourite, False) == value,
    lambda value: func.coalesce(reading_states.c.is_archived, False) == value,
)


def select_cards(user_id: UUID | BindParameter[UUID]) -> Query:
    own_state = and_(reading_states.c.media_id == items.c.media_id, reading_states.c.user_id == user_id)
    return (
        select(items, media, *READING_COLUMNS)
        .join(media, media.c.id == items.c.media_id)
        .outerjoin(reading_states, own_state)
    )


def held_by_member(user_id: UUID | BindParameter[UUID]) -> ColumnElement[bool]:
    member = (library_members.c.library_id == items.c.library_id, library_members.c.user_id == user_id)
    return exists().where(*member)


# The statements of every save.
HELD: Final = (items.c.library_id == bindparam("library_id"), items.c.media_id == bindparam("media_id"))
FIND_ITEM: Final = select(items).where(*HELD)
FIND_CARD: Final = select_cards(bindparam("user_id")).where(
    items.c.id == bindparam("item_id"), held_by_member(bindparam("user_id"))
)
FIND_CARD_OF_MEDIA: Final = select_cards(bindparam("user_id")).where(*HELD)
INSERT_ITEM: Final = items.insert()
LIST_TAGS: Final = (
    select(tags.c.name)
    .join(item_tags, item_tags.c.tag_id == tags.c.id)
    .where(item_tags.c.item_id == bindparam("item_id"))
    .order_by(tags.c.name)
)
# The statements of every search.
THESE_ITEMS: Final[Parameter] = bindparam("item_ids", expanding=True)
LIST_CARDS_BY_ID: Final = (
    select_cards(bindparam("user_id"))
    .where(items.c.id.in_(THESE_ITEMS), held_by_member(bindparam("user_id")))
    .order_by(items.c.created_at.desc(), items.c.id.desc())
)
LIST_TAGS_OF_EACH: Final = (
    select(item_tags.c.item_id, tags.c.name)
    .join(tags, tags.c.id == item_tags.c.tag_id)
    .where(item_tags.c.item_id.in_(THESE_ITEMS))
    .order_by(tags.c.name)
)
ITEM_COLUMNS: Final = tuple(column.name for column in items.c)
ITEM_WIDTH: Final = len(ITEM_COLUMNS)
MEDIA_END: Final = ITEM_WIDTH + len(media.c)


def reading_of_columns(row: Columns) -> ReadingState:
    """Make a reading state from a row of READING_COLUMNS; one that is missing is the initial state."""
    return ReadingState() if row[0] is None else ReadingState(*row)


def card_of_columns(row: Columns, named: tuple[str, ...]) -> Card:
    """Make a card from a row of `select_cards`."""
    item, page, reading = row[:ITEM_WIDTH], row[ITEM_WIDTH:MEDIA_END], row[MEDIA_END:]
    return Card(Item(*item), media_of_columns(page), named, reading_of_columns(reading))


def cards_from(tx: Connection, query: Query, values: Mapping[str, object] | None = None) -> list[Card]:
    rows = tx.execute(query, values).all()
    named = list_tags(tx, [row[0] for row in rows])
    return [card_of_columns(row, named.get(row[0], ())) for row in rows]


def find_card(tx: Connection, item_id: UUID, user_id: UUID) -> Card | None:
    """Find the card of an item, or of the one it was merged into, in one of the user's libraries."""
    card = find_one_card(tx, FIND_CARD, {"item_id": item_id, "user_id": user_id})
    merged_into = find_merged(tx, item_id) if card is None else None
    if merged_into is None:
        return card
    return find_one_card(tx, FIND_CARD, {"item_id": merged_into, "user_id": user_id})


def find_merged(tx: Connection, old_id: UUID) -> UUID | None:
    return tx.scalar(select(merged_items.c.new_id).where(merged_items.c.old_id == old_id))


def resolve_merged(tx: Connection, item_ids: Sequence[UUID]) -> list[UUID]:
    """Replace the ids of items that were merged into others."""
    query = select(merged_items.c.old_id, merged_items.c.new_id).where(merged_items.c.old_id.in_(item_ids))
    united = {row.old_id: row.new_id for row in tx.execute(query)}
    return [united.get(item_id, item_id) for item_id in item_ids]


def find_card_of_media(tx: Connection, library_id: UUID, media_id: UUID, user_id: UUID) -> Card | None:
    """Find the card of a media in a library that the caller has checked."""
    keys = {"library_id": library_id, "media_id": media_id, "user_id": user_id}
    return find_one_card(tx, FIND_CARD_OF_MEDIA, keys)


def find_one_card(tx: Connection, query: Query, keys: Mapping[str, UUID]) -> Card | None:
    row = tx.execute(query, keys).first()
    if row is None:
        return None
    named = tx.execute(LIST_TAGS, {"item_id": row[0]}).all()
    return card_of_columns(row, tuple(name for (name,) in named))


def list_cards(tx: Connection, user_id: UUID, wanted: ItemFilter, *, after: Position | None, limit: int) -> list[Card]:
    """List cards, newest first unless told otherwise; ties are ordered by id, so that pages never overlap."""
    if len(wanted.library_ids) == 1:
        if wanted.tag is not None and (near := list_cards_nearby(tx, user_id, wanted, after=after, limit=limit)):
            return near
        query = beginning_after(select_cards(user_id).where(*conditions(wanted)), wanted, after)
    else:
        each = with_states(select(items.c.id).select_from(items), user_id).where(*narrow(wanted))
        found = list_once(tx, wanted, beginning_after(each, wanted, after), is_shown_once(wanted), limit=limit)
        query = select_cards(user_id).where(items.c.id.in_(found))
    return cards_from(tx, in_order(query, wanted).limit(limit))


def list_cards_nearby(
    tx: Connection, user_id: UUID, wanted: ItemFilter, *, after: Position | None, limit: int
) -> list[Card] | None:
    """Return a page of a frequent tag's items in one library by `list_tagged_nearby`; None where the tag is rare, or
    too few of the next items have it."""
    [library_id], name = wanted.library_ids, wanted.tag
    if len(tx.execute(select_tagged(wanted.library_ids, name or "").limit(FREQUENT)).all()) < FREQUENT:
        return None
    listed = beginning_after(select(items.c.id).where(items.c.library_id == library_id), wanted, after)
    tagged = TaggedList(library_id, (name or "",), is_descending=not wanted.oldest_first)
    found = list_tagged_nearby(tx, ITEM_SOURCE, listed, tagged, limit=4 * limit)
    query = select_cards(user_id).where(*conditions(replace(wanted, tag=None)), items.c.id.in_(found))
    cards = cards_from(tx, in_order(query, wanted).limit(limit))
    return cards if len(cards) == limit else None


def list_tagged_nearby(
    tx: Connection, source: ListSource, listed: Query, tagged: TaggedList, *, limit: int
) -> list[UUID]:
    """Return the first items with all of some tags among the first NEARBY of a list, without reading all tagged items.

    `listed` selects that list, without an order, from `source`.
    """
    first = listed.order_by(*tagged.in_order(source.created_at, source.item_id)).limit(NEARBY)
    near = first.with_only_columns(source.created_at.label("created_at"), source.item_id.label("item_id")).subquery()
    has_all = [
        select_tagged([tagged.library_id], name).where(item_tags.c.item_id == near.c.item_id).exists()
        for name in tagged.names
    ]
    order = tagged.in_order(near.c.created_at, near.c.item_id)
    return list(tx.execute(select(near.c.item_id).where(*has_all).order_by(*order).limit(limit)).scalars())


def list_once(
    tx: Connection, wanted: ItemFilter, query: Query, is_shown: ColumnElement[bool], *, limit: int
) -> list[UUID]:
    """Return the first items that `query` selects in several libraries, each page once. Twice as many are read first,
    since most pages are in one or two libraries."""
    size = 2 * limit
    while True:
        found = first_of_each(tx, wanted.library_ids, in_order(query, wanted).limit(size))
        merged = in_order(select(items.c.id, is_shown.label("is_shown")).where(items.c.id.in_(found)), wanted)
        rows = tx.execute(merged.limit(size)).all()
        shown = [row.id for row in rows if row.is_shown]
        if len(shown) >= limit or len(rows) < size:
            return shown[:limit]
        size *= 2


def beginning_after(query: Query, wanted: ItemFilter, after: Position | None) -> Query:
    if after is None:
        return query
    place, shown = tuple_(items.c.created_at, items.c.id), (after.created_at, after.item_id)
    return query.where(place > shown if wanted.oldest_first else place < shown)


def in_order(query: Query, wanted: ItemFilter) -> Query:
    keys = (items.c.created_at, items.c.id)
    return query.order_by(*(keys if wanted.oldest_first else (key.desc() for key in keys)))


def list_cards_by_id(tx: Connection, user_id: UUID, item_ids: Sequence[UUID]) -> list[Card]:
    """List the cards of those items that are in one of the user's libraries."""
    return cards_from(tx, LIST_CARDS_BY_ID, {"user_id": user_id, "item_ids": item_ids})


def list_cards_of_media(tx: Connection, user_id: UUID, media_ids: Collection[UUID]) -> list[Card]:
    """List the cards of some media in the user's libraries, the oldest first."""
    query = select_cards(user_id).where(items.c.media_id.in_(media_ids), held_by_member(user_id))
    return cards_from(tx, query.order_by(items.c.id))


def list_cards_among(tx: Connection, user_id: UUID, wanted: ItemFilter, item_ids: Sequence[UUID]) -> list[Card]:
    """List the cards of those items that are in the list, in its order."""
    query = select_cards(user_id).where(*conditions(wanted), items.c.id.in_(item_ids))
    if len(wanted.library_ids) > 1:
        query = query.where(is_shown_once(wanted))
    return cards_from(tx, in_order(query, wanted))


def list_neighbours(
    tx: Connection, user_id: UUID, here: Position, wanted: ItemFilter
) -> tuple[Card | None, Card | None]:
    """Return the items just before and just after a position in a list."""
    backwards = replace(wanted, oldest_first=not wanted.oldest_first)
    before = list_cards(tx, user_id, backwards, after=here, limit=1)
    after = list_cards(tx, user_id, wanted, after=here, limit=1)
    return (before[0] if before else None), (after[0] if after else None)


def with_states(query: Query, user_id: UUID) -> Query:
    """Join the media and the user's reading states to a query on items."""
    own_state = and_(reading_states.c.media_id == items.c.media_id, reading_states.c.user_id == user_id)
    return query.join(media, media.c.id == items.c.media_id).outerjoin(reading_states, own_state)


def is_in(library_id: ColumnElement[UUID], library_ids: Sequence[UUID]) -> ColumnElement[bool]:
    return library_id == library_ids[0] if len(library_ids) == 1 else library_id.in_(library_ids)


def select_tagged(library_ids: Sequence[UUID], name: str | Parameter) -> Query:
    """Select items with a tag. In one library the tag is found first and once, so that the database estimates well."""
    linked, is_tag = select(item_tags.c.item_id), (is_in(tags.c.library_id, library_ids), tags.c.name == name)
    if len(library_ids) == 1:
        return linked.where(item_tags.c.tag_id == select(tags.c.id).where(*is_tag).scalar_subquery())
    return linked.join(tags, tags.c.id == item_tags.c.tag_id).where(*is_tag)


def is_shown_once(
    wanted: ItemFilter, *, tagged: Sequence[str] = (), untagged: Sequence[str] = ()
) -> ColumnElement[bool]:
    """Return the condition that an item represents its page among the libraries: it is in the first, or the oldest.

    Tags and times are asked of the other items too, since only a listed item stands for another.
    """
    other, library_ids = items.alias("same_page"), wanted.library_ids
    first = library_ids[0]
    is_before = and_(items.c.library_id != first, or_(other.c.library_id == first, other.c.id < items.c.id))
    is_listed = [other.c.media_id == items.c.media_id, other.c.library_id.in_(library_ids), is_before]
    names = (*tagged, *([wanted.tag] if wanted.tag else ()))
    is_listed += [other.c.id.in_(select_tagged(library_ids, name)) for name in names]
    is_listed += [other.c.id.not_in(select_tagged(library_ids, name)) for name in untagged]
    if wanted.added_before is not None:
        is_listed.append(other.c.created_at < wanted.added_before)
    if wanted.added_after is not None:
        is_listed.append(other.c.created_at > wanted.added_after)
    return ~exists().where(*is_listed).correlate(items)


def conditions(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    return [is_in(items.c.library_id, wanted.library_ids), *narrow(wanted)]


def narrow(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter besides its libraries."""
    found: list[ColumnElement[bool]] = [is_in_list()]
    if wanted.tag is not None:
        found.append(items.c.id.in_(select_tagged(wanted.library_ids, wanted.tag)))
    if wanted.status is not None:
        found.append(media.c.processing_status == wanted.status)
    found += narrow_by_state(ITEM_SOURCE, wanted)
    if wanted.has_failed:
        found.append(media.c.processing_status.in_(GIVEN_UP))
    return found


def narrow_by_state(source: ListSource, wanted: StateFilter) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that all lists share: the web's, the API's and those of apps."""
    for has_state, value in (
        (source.is_unread, wanted.is_unread),
        (source.is_favourite, wanted.is_favourite),
        (source.is_archived, wanted.is_archived),
    ):
        if value is not None:
            yield has_state(value)
    if wanted.added_before is not None:
        yield source.created_at < wanted.added_before
    if wanted.added_after is not None:
        yield source.created_at > wanted.added_after


def find_item_of_media(tx: Connection, library_id: UUID, media_id: UUID) -> Item | None:
    keys = {"library_id": library_id, "media_id": media_id}
    row = tx.execute(FIND_ITEM, keys).first()
    return Item(*row) if row else None


def list_items_of_media(tx: Connection, media_id: UUID) -> list[Item]:
    rows = tx.execute(select(items).where(items.c.media_id == media_id).order_by(items.c.id))
    return [Item(*row) for row in rows]


def find_media_of_item(tx: Connection, item_id: UUID) -> UUID | None:
    """Return the media of an item, or of the one it was merged into."""
    query = select(items.c.media_id)
    merged_into = find_merged(tx, item_id)
    found: UUID | None = tx.scalar(query.where(items.c.id == item_id))
    return found or (tx.scalar(query.where(items.c.id == merged_into)) if merged_into else None)


def insert_item(tx: Connection, item: Item) -> None:
    tx.execute(INSERT_ITEM, {name: getattr(item, name) for name in ITEM_COLUMNS})


def update_item(tx: Connection, item_id: UUID, **columns: object) -> None:
    tx.execute(update(items).where(items.c.id == item_id).values(**columns))


def update_user_fields(tx: Connection, item_id: UUID, fields: Item, now: datetime, **columns: object) -> None:
    """Write the user fields of an item."""
    said = {"title": fields.title, "excerpt": fields.excerpt, "note": fields.note}
    update_item(tx, item_id, **said, updated_at=now, **columns)


def delete_item(tx: Connection, item_id: UUID) -> None:
    """Delete an item with the other copies of its page that its library keeps beside it."""
    own = select(items.c.library_id, items.c.media_id, media.c.superseded_by).join(media).where(items.c.id == item_id)
    row = tx.execute(own).one_or_none()
    if row is None:
        return
    older = select(media.c.id).where(media.c.superseded_by == row.media_id)
    made = select(media.c.id).where(media.c.id == row.superseded_by, media.c.processing_status != READY)
    beside = (items.c.library_id == row.library_id, or_(items.c.media_id.in_(older), items.c.media_id.in_(made)))
    tx.execute(delete(items).where(*beside))
    former = select(earlier_copies.c.item_id).where(earlier_copies.c.shown_item_id == item_id)
    tx.execute(delete(items).where(items.c.id.in_(former)))
    remove_row(tx, item_id)


def remove_row(tx: Connection, item_id: UUID) -> None:
    """Delete this item alone."""
    tx.execute(delete(items).where(items.c.id == item_id))


def unite_row(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    """Delete this item alone, and let its id lead to another item from now on."""
    tx.execute(update(import_rows).where(import_rows.c.item_id == old_id).values(item_id=new_id))
    remember_merge(tx, old_id, new_id)
    repoint_shown(tx, old_id, new_id)
    remove_row(tx, old_id)


def remember_merge(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    tx.execute(update(merged_items).where(merged_items.c.new_id == old_id).values(new_id=new_id))
    insert = upsert(tx, merged_items).values(old_id=old_id, new_id=new_id)
    tx.execute(insert.on_conflict_do_update(index_elements=["old_id"], set_={"new_id": new_id}))


def repoint_items(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    """Move all items to a media that no library holds yet."""
    tx.execute(update(items).where(items.c.media_id == old_id).values(media_id=new_id))


# --- tags -----------------------------------------------------------------------------------------------------


def list_tags(tx: Connection, item_ids: Sequence[UUID]) -> dict[UUID, tuple[str, ...]]:
    if not item_ids:
        return {}
    found: dict[UUID, tuple[str, ...]] = {}
    for item_id, name in tx.execute(LIST_TAGS_OF_EACH, {"item_ids": item_ids}):
        found[item_id] = (*found.get(item_id, ()), name)
    return found


def count_tags(tx: Connection, library_ids: Sequence[UUID]) -> list[tuple[str, int]]:
    query = (
        select(tags.c.name, func.count(item_tags.c.item_id))
        .join(item_tags, item_tags.c.tag_id == tags.c.id)
        .where(is_in(tags.c.library_id, library_ids))
        .group_by(tags.c.name)
        .order_by(tags.c.name)
    )
    return [(name, count) for name, count in tx.execute(query)]


def add_tags(tx: Connection, library_id: UUID, item_id: UUID, names: Iterable[str]) -> None:
    wanted = list(names)
    if not wanted:
        return
    new = [{"id": new_id(), "library_id": library_id, "name": name} for name in wanted]
    tx.execute(upsert(tx, tags).on_conflict_do_nothing(), new)
    found = tx.execute(select(tags.c.id).where(tags.c.library_id == library_id, tags.c.name.in_(wanted)))
    links = [{"item_id": item_id, "tag_id": tag_id} for tag_id in found.scalars()]
    tx.execute(upsert(tx, item_tags).on_conflict_do_nothing(), links)


def remove_tags(tx: Connection, library_id: UUID, item_id: UUID, names: Iterable[str]) -> None:
    named = select(tags.c.id).where(tags.c.library_id == library_id, tags.c.name.in_(list(names)))
    tx.execute(delete(item_tags).where(item_tags.c.item_id == item_id, item_tags.c.tag_id.in_(named)))


def replace_tags(tx: Connection, library_id: UUID, item_id: UUID, names: Iterable[str]) -> None:
    tx.execute(delete(item_tags).where(item_tags.c.item_id == item_id))
    add_tags(tx, library_id, item_id, names)


# --- reading states -------------------------------------------------------------------------------------------


def put_reading_state(tx: Connection, user_id: UUID, media_id: UUID, state: ReadingState, now: datetime) -> None:
    values: dict[str, object] = {
        "is_favourite": state.is_favourite,
        "is_archived": state.is_archived,
        "read_at": state.read_at,
        "progress": state.progress,
        "updated_at": now,
    }
    insert = upsert(tx, reading_states).values(user_id=user_id, media_id=media_id, **values)
    tx.execute(insert.on_conflict_do_update(index_elements=["user_id", "media_id"], set_=values))


def list_reading_states(tx: Connection, media_id: UUID) -> dict[UUID, ReadingState]:
    query = select(reading_states.c.user_id, *READING_COLUMNS).where(reading_states.c.media_id == media_id)
    return {user_id: reading_of_columns(row) for user_id, *row in tx.execute(query)}
