"""Which items a search may find at all, whatever their words: one person's view of some libraries, narrowed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, lru_cache
from math import isqrt
from types import ModuleType
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Integer, String, Uuid, bindparam, func, select

from kept.content.search.query import SearchQuery
from kept.domain.item import ItemFilter
from kept.domain.lifecycle import GIVEN_UP
from kept.storage.database.dialects import Columns, Parameter, Query
from kept.storage.database.engine import Connection
from kept.storage.highlights import is_own
from kept.storage.items import conditions, is_in, select_tagged
from kept.storage.search.fields import Among, WordIndex, is_short_beginning, site_token
from kept.storage.search.port import port_of
from kept.storage.tables import (
    highlights,
    item_tags,
    items,
    library_numbers,
    media,
    reading_states,
    search_highlights,
    search_items,
    search_media,
)

# Up to so many items, the index is asked about those alone; and up to so many times the root of the number of pages.
# To list an item takes 2 to 6 µs. To look up whether a page that was found may be shown takes 0.5 to 1 on SQLite, 2 to
# 3 on PostgreSQL; and of a library that holds one page in a hundred, 20,000 are looked up to find the newest 200, or
# all of them, if the library is an old one.
FEW: Final = 2_000
FEW_BY_ROOT: Final = 20
# In a library of so many items, a filter is asked of what was found: to list what it leaves takes as long.
LEAST_NARROWED: Final = 500
# Up to so many matches, all are looked at whatever else is asked of them.
RARE: Final = 1_000
LIBRARY: Final[Any] = bindparam("library_id", type_=Uuid())
LAST_PAGE: Final = select(func.max(search_media.c.no))
OWN: Final = (
    select(library_numbers)
    .where(library_numbers.c.library_id.in_(bindparam("library_ids", expanding=True)))
    .limit(bindparam("most", type_=Integer))
    .subquery("own")
)
ENDS: Final = (func.min(OWN.c.item_no), func.max(OWN.c.item_no), func.min(OWN.c.media_no), func.max(OWN.c.media_no))
MEASURE_OWN: Final = select(func.count(), *ENDS).select_from(OWN)
LIST_MARKED: Final = (
    select(search_highlights.c.no)
    .join(highlights, highlights.c.id == search_highlights.c.highlight_id)
    .where(highlights.c.user_id == bindparam("user_id"), highlights.c.removed_at.is_(None))
    .limit(FEW + 1)
)


class Numbers(NamedTuple):
    """Under which numbers the index knows some items and their pages."""

    items: Among
    media: Among


@dataclass(frozen=True, slots=True)
class Scope:
    tx: Connection
    user_id: UUID
    wanted: ItemFilter
    query: SearchQuery
    port: ModuleType
    """How this database is asked (`port_of`)."""
    further: Sequence[ColumnElement[bool]]
    """What the query says beyond words, states and dates."""
    marked: Among | None = None
    """The numbers of this person's own highlights, if they are few."""
    last_page: int = 0
    """The largest number of a page."""

    @property
    def is_plain(self) -> bool:
        """Whether one library is all that narrows it."""
        library_ids = self.wanted.library_ids
        is_whole = replace(self.wanted, oldest_first=False) == ItemFilter(library_ids)
        return is_whole and len(library_ids) == 1 and not self.further

    @property
    def is_by_tags(self) -> bool:
        """Whether one library and tags that are wanted are all that narrows it."""
        whole = replace(self, wanted=replace(self.wanted, tag=None), further=())
        return whole.is_plain and len(self.further) == len(self.query.tags)

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        return [*conditions(self.wanted), *self.further]


def make_scope(tx: Connection, user_id: UUID, wanted: ItemFilter, query: SearchQuery) -> Scope:
    """What the query says of states and dates goes over what the list says."""
    narrowed = replace(
        wanted,
        is_unread=wanted.is_unread if query.is_unread is None else query.is_unread,
        is_favourite=wanted.is_favourite if query.is_favourite is None else query.is_favourite,
        is_archived=wanted.is_archived if query.is_archived is None else query.is_archived,
        has_failed=wanted.has_failed or bool(query.has_failed),
        added_before=query.before or wanted.added_before,
        # `after:` a day means from its beginning on; a list's `added_after` leaves out that very moment
        added_after=query.after - timedelta(microseconds=1) if query.after else wanted.added_after,
    )
    port = port_of(tx.dialect.name)
    further = list(narrow_further(port, narrowed, query))
    if query.in_highlights is not None:
        further.append(has_highlights(user_id) if query.in_highlights else ~has_highlights(user_id))
    return Scope(tx, user_id, narrowed, query, port, further)


def narrow_further(port: ModuleType, wanted: ItemFilter, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    # Asked of each item, for these conditions are asked of what the words found: to list a large tag takes longer.
    yield from (has_tag(wanted.library_ids, name) for name in query.tags)
    yield from (~has_tag(wanted.library_ids, name) for name in query.unwanted_tags)
    yield from (items.c.id.in_(at_site(port, site)) for site in query.sites)
    yield from (items.c.id.not_in(at_site(port, site)) for site in query.unwanted_sites)
    if query.has_failed is False:
        yield media.c.processing_status.not_in(GIVEN_UP)


def has_highlights(user_id: UUID) -> ColumnElement[bool]:
    """Of this person."""
    own = select(highlights.c.id).where(is_own(user_id), highlights.c.media_id == items.c.media_id).limit(1)
    return own.correlate(items).scalar_subquery().is_not(None)


def has_tag(library_ids: Sequence[UUID], name: str) -> ColumnElement[bool]:
    """Not by `EXISTS`: PostgreSQL would make it a join, and ask it last."""
    own = select_tagged(library_ids, name).where(item_tags.c.item_id == items.c.id)
    return own.correlate(items).scalar_subquery().is_not(None)


def at_site(port: ModuleType, site: str) -> Query:
    numbers = port.select_numbers(WordIndex.ITEM, port.spell_token(site_token(site)))
    return select(search_items.c.item_id).where(search_items.c.no.in_(numbers))


def find_few(scope: Scope) -> Numbers | None:
    """The items that may be found and perhaps some more, if they are few; what else is asked of them is asked later."""
    names, selective, most = list_tag_names(scope), list(select_by(scope)), count_few(scope.last_page)
    own = find_own(scope, most)
    is_narrowed = bool(names or selective)
    if not is_narrowed or (own is not None and own.items.size <= LEAST_NARROWED) or are_rare(scope):
        return own
    is_by_tags = len(scope.wanted.library_ids) == 1 and not selective
    listed = list_tagged(scope, names, most) if is_by_tags else list_if_few(scope, names, selective, most)
    return own if listed is None else listed


def find_last_page(tx: Connection) -> int:
    return tx.execute(LAST_PAGE).scalar_one() or 0


def count_few(last_page: int) -> int:
    """How many items are few, in a database of this size."""
    return max(FEW, FEW_BY_ROOT * isqrt(last_page))


def are_rare(scope: Scope) -> bool:
    """Whether so little has the wanted words that looking at all of it is less than to list what a filter leaves."""
    port, query = scope.port, scope.query
    if any(is_short_beginning(term) for term in query.wanted):
        return False
    asked = {way: port.spell_loosely(way, query.wanted, query.unwanted) for way in WordIndex}
    if not port.may_be_rare(scope.tx, asked, RARE, scope.last_page):
        return False
    values = {way.value: expression for way, expression in asked.items()}
    counts = scope.tx.execute(count_rare(port), values | {"most": RARE + 1})
    return bool(max(counts.one()) <= RARE)


@cache
def count_rare(port: ModuleType) -> Query:
    """How many rows of each index have the words; no more than are asked for."""
    most: Parameter = bindparam("most", type_=Integer)
    found = (port.select_numbers(way, bindparam(way.value, type_=String)).limit(most).subquery() for way in WordIndex)
    return select(*(select(func.count()).select_from(some).scalar_subquery() for some in found))


def list_tag_names(scope: Scope) -> list[str]:
    return [*scope.query.tags, *([scope.wanted.tag] if scope.wanted.tag else ())]


def select_by(scope: Scope) -> Iterator[ColumnElement[bool]]:
    """What besides tags may leave few items, said so that a database begins with it: told the library, SQLite would
    begin there."""
    wanted, query = scope.wanted, scope.query
    yield from (items.c.id.in_(at_site(scope.port, site)) for site in query.sites)
    for column, is_wanted in (
        (reading_states.c.is_favourite, wanted.is_favourite),
        (reading_states.c.is_archived, wanted.is_archived),
    ):
        if is_wanted:
            own = select(reading_states.c.media_id).where(reading_states.c.user_id == scope.user_id, column)
            yield items.c.media_id.in_(own)
    statuses = (*(GIVEN_UP if wanted.has_failed else ()), *([wanted.status] if wanted.status else ()))
    if statuses:
        yield items.c.media_id.in_(select(media.c.id).where(media.c.processing_status.in_(statuses)))
    if wanted.added_before is not None or wanted.added_after is not None:
        yield is_in(items.c.library_id, wanted.library_ids)
    if wanted.added_before is not None:
        yield items.c.created_at < wanted.added_before
    if wanted.added_after is not None:
        yield items.c.created_at > wanted.added_after


def find_own(scope: Scope, most: int) -> Numbers | None:
    """What the libraries hold; None if it is more than so many."""
    values = {"library_ids": scope.wanted.library_ids, "most": most + 1}
    size, *ends = scope.tx.execute(MEASURE_OWN, values).one()
    first_item, last_item, first_media, last_media = (number or 0 for number in ends)
    return None if size > most else Numbers(Among(size, first_item, last_item), Among(size, first_media, last_media))


def list_tagged(scope: Scope, names: Sequence[str], most: int) -> Numbers | None:
    """What has these tags in one library. What has a tag is an item: it need not be looked up."""
    tagged = {f"tag_{at}": name for at, name in enumerate(names)}
    limits = {"library_id": scope.wanted.library_ids[0], "most": most, "limit": most + 1}
    return read_if_few(scope, make_tag_list(scope.port, len(names)), tagged | limits, most)


@lru_cache(maxsize=20)
def make_tag_list(port: ModuleType, count: int) -> Query:
    names: list[Parameter] = [bindparam(f"tag_{at}", type_=String) for at in range(count)]
    first, *others = (select_tagged((LIBRARY,), name) for name in names)
    found = first.where(*(item_tags.c.item_id.in_(other.correlate(None)) for other in others))
    return number_if_few(port, select(found.subquery().c.item_id.label("id")))


def list_if_few(scope: Scope, names: Sequence[str], where: Sequence[ColumnElement[bool]], most: int) -> Numbers | None:
    tagged = (items.c.id.in_(select_tagged(scope.wanted.library_ids, name)) for name in names)
    query = number_if_few(scope.port, select(items.c.id).where(*tagged, *where))
    return read_if_few(scope, query, {"most": most, "limit": most + 1}, most)


def number_if_few(port: ModuleType, query: Query) -> Query:
    """How many are found, and if they are few, their numbers."""
    found = query.limit(bindparam("limit", type_=Integer)).cte("found")
    size = select(func.count().label("items")).select_from(found).subquery("size")
    few = size.outerjoin(found, size.c["items"] <= bindparam("most", type_=Integer))
    return with_numbers(port, select(size.c["items"]).select_from(few), found).group_by(size.c["items"])


def read_if_few(scope: Scope, query: Query, values: Mapping[str, object], most: int) -> Numbers | None:
    count, *numbers = scope.tx.execute(query, values).one()
    return None if count > most else numbers_of_columns(numbers)


def list_marked(scope: Scope) -> Among | None:
    """None if they are many: then most of what the index finds is theirs, and otherwise only little of it may be."""
    found = list(scope.tx.execute(LIST_MARKED, {"user_id": scope.user_id}).scalars())
    if len(found) > FEW:
        return None
    return Among(len(found), min(found, default=0), max(found, default=0), scope.port.pack_list(found))


def list_numbers(scope: Scope, *where: ColumnElement[bool]) -> Numbers:
    query = with_numbers(scope.port, select().select_from(items), items).where(*where)
    return numbers_of_columns(scope.tx.execute(query).one())


def with_numbers(port: ModuleType, query: Query, of: FromClause) -> Query:
    """All of a kind in one value: to read them row by row takes three times as long as to look them up."""
    query = query.add_columns(func.count(library_numbers.c.item_no))
    for number in (library_numbers.c.item_no, library_numbers.c.media_no):
        query = query.add_columns(func.min(number), func.max(number), port.pack(number))
    query = query.outerjoin(search_items, search_items.c.item_id == of.c.id)
    return query.outerjoin(library_numbers, library_numbers.c.item_no == search_items.c.no)


def numbers_of_columns(row: Columns) -> Numbers:
    """From what `with_numbers` adds."""
    size, first_item, last_item, item_numbers, first_media, last_media, media_numbers = row
    return Numbers(
        Among(size, first_item or 0, last_item or 0, item_numbers),
        Among(size, first_media or 0, last_media or 0, media_numbers),
    )
