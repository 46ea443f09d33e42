"""Which items a search may find at all, whatever their words: one person's view of some libraries, narrowed."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import isqrt
from types import ModuleType
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Integer, bindparam, func, select

from kept.content.search.query import SearchQuery
from kept.domain.item_filter import ItemFilter
from kept.domain.lifecycle import GIVEN_UP
from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
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
    selective, most = list(select_by(scope)), count_few(scope)
    own = find_own(scope, most)
    if not selective or (own is not None and own.items.size <= LEAST_NARROWED) or are_rare(scope):
        return own
    listed = list_if_few(scope, most, *selective)
    return own if listed is None else listed


def count_few(scope: Scope) -> int:
    """How many items are few, in a database of this size."""
    pages = scope.tx.execute(LAST_PAGE).scalar_one()
    return max(FEW, FEW_BY_ROOT * isqrt(pages or 0))


def are_rare(scope: Scope) -> bool:
    """Whether so little has the wanted words that looking at all of it is less than to list what a filter leaves."""
    port, query = scope.port, scope.query
    if any(is_short_beginning(term) for term in query.wanted):
        return False
    asked = {way: port.spell_loosely(way, query.wanted, query.unwanted) for way in WordIndex}
    if not port.may_be_rare(scope.tx, asked, RARE):
        return False
    found = (port.select_numbers(way, expression) for way, expression in asked.items())
    counts = (select(func.count()).select_from(some.limit(RARE + 1).subquery()).scalar_subquery() for some in found)
    return bool(max(scope.tx.execute(select(*counts)).one()) <= RARE)


def select_by(scope: Scope) -> Iterator[ColumnElement[bool]]:
    """What may leave few items, said so that a database begins with it: told the library, SQLite would begin there."""
    wanted, query = scope.wanted, scope.query
    names = (*query.tags, *([wanted.tag] if wanted.tag else ()))
    yield from (items.c.id.in_(select_tagged(wanted.library_ids, name)) for name in names)
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


def list_if_few(scope: Scope, most: int, *where: ColumnElement[bool]) -> Numbers | None:
    """Their numbers are looked up only then."""
    found = select(items.c.id).where(*where).limit(most + 1).cte("found")
    size = select(func.count().label("items")).select_from(found).subquery("size")
    few = size.outerjoin(found, size.c["items"] <= most)
    query = with_numbers(scope.port, select(size.c["items"]).select_from(few), found).group_by(size.c["items"])
    count, *numbers = scope.tx.execute(query).one()
    return None if count > most else Numbers(*(among_listed(scope.port.unpack(packed)) for packed in numbers))


def list_marked(scope: Scope) -> Among | None:
    """None if they are many: then most of what the index finds is theirs, and otherwise only little of it may be."""
    found = list(scope.tx.execute(LIST_MARKED, {"user_id": scope.user_id}).scalars())
    return among_listed(found) if len(found) <= FEW else None


def list_numbers(scope: Scope, *where: ColumnElement[bool]) -> Numbers:
    query = with_numbers(scope.port, select().select_from(items), items).where(*where)
    return Numbers(*(among_listed(scope.port.unpack(packed)) for packed in scope.tx.execute(query).one()))


def with_numbers(port: ModuleType, query: Query, of: FromClause) -> Query:
    """Each kind in one value: to read them row by row takes three times as long as to look them up."""
    numbers = (library_numbers.c.item_no, library_numbers.c.media_no)
    query = query.add_columns(*(port.pack(number).filter(number.is_not(None)) for number in numbers))
    query = query.outerjoin(search_items, search_items.c.item_id == of.c.id)
    return query.outerjoin(library_numbers, library_numbers.c.item_no == search_items.c.no)


def among_listed(numbers: Collection[int]) -> Among:
    listed = sorted(set(numbers))
    return Among(len(listed), listed[0], listed[-1], listed) if listed else Among(0, 0, 0, listed)
