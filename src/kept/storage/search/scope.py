"""Which items a search may find at all, whatever their words; and which of the two strategies finds them.

Where the searched libraries, or what a filter leaves of them, are few items, these are the candidates that an index is
asked about. Where they are many there are no candidates, and the index is walked (`dialect.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import isqrt
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, bindparam, func, select

from kept.content.search.query import SearchQuery, Term
from kept.domain.item import ItemFilter, StateFilter
from kept.domain.lifecycle import GIVEN_UP
from kept.storage.database.dialects import Query
from kept.storage.database.engine import Connection
from kept.storage.highlights import is_own
from kept.storage.items import ITEM_SOURCE, is_in, narrow, narrow_by_state, select_tagged
from kept.storage.search.dialect import LIBRARIES, USER, Candidates, IndexQuery, SearchDialect
from kept.storage.search.dialects import dialect_of
from kept.storage.search.fields import WordIndex, site_token
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

# Up to so many items, or so many times the root of the number of pages, are few. A library that holds one page in k
# has its newest 200 pages with a frequent word among 200 k pages that have it: to walk past those costs as much as to
# ask about each of n items where n² is some 100 times the number of pages. Twice that, since the pages of somebody who
# left years ago come last.
FEW: Final = 2_000
FEW_BY_ROOT: Final = 20
LAST_PAGE: Final = select(func.max(search_media.c.no))
OWN: Final = select(library_numbers.c.item_no).where(library_numbers.c.library_id.in_(LIBRARIES))
COUNT_OWN: Final = select(func.count()).select_from(OWN.limit(bindparam("most", type_=Integer)).subquery())
MARKED: Final = (
    select(search_highlights.c.no)
    .join(highlights, highlights.c.id == search_highlights.c.highlight_id)
    .where(is_own(USER))
    .limit(FEW + 1)
    .subquery()
)
CandidatesByIndex = dict[WordIndex, Candidates]
"""An index that is missing here is walked."""


@dataclass(frozen=True, slots=True)
class SearchScope:
    tx: Connection
    dialect: SearchDialect
    user_id: UUID
    wanted: ItemFilter
    query: SearchQuery
    further: Sequence[ColumnElement[bool]]
    """What the query says beyond words, states and dates."""

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but libraries and words is asked for."""
        libraries = ItemFilter(self.wanted.library_ids)
        return bool(self.further) or replace(self.wanted, oldest_first=False) != libraries

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        return [*narrow(self.wanted), *self.further]

    @property
    def parameters(self) -> dict[str, object]:
        return {"user_id": self.user_id, "library_ids": self.wanted.library_ids}


def make_scope(tx: Connection, user_id: UUID, wanted: ItemFilter, query: SearchQuery) -> SearchScope:
    """Make the scope of a search. What the query says of states and dates goes over what the list says."""
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
    dialect = dialect_of(tx)
    return SearchScope(tx, dialect, user_id, narrowed, query, list(narrow_further(dialect, user_id, wanted, query)))


def narrow_further(
    dialect: SearchDialect, user_id: UUID, wanted: ItemFilter, query: SearchQuery
) -> Iterator[ColumnElement[bool]]:
    # Asked of each item, for these conditions are asked of what the words found: to list a large tag takes longer.
    yield from (has_tag(wanted.library_ids, name) for name in query.tags)
    yield from (~has_tag(wanted.library_ids, name) for name in query.unwanted_tags)
    yield from (items.c.id.in_(at_site(dialect, site)) for site in query.sites)
    yield from (items.c.id.not_in(at_site(dialect, site)) for site in query.unwanted_sites)
    if query.has_failed is False:
        yield media.c.processing_status.not_in(GIVEN_UP)
    if query.in_highlights is not None:
        yield has_highlights(user_id) if query.in_highlights else ~has_highlights(user_id)


def has_highlights(user_id: UUID) -> ColumnElement[bool]:
    """Tell whether this person has highlights in an item's page."""
    own = select(highlights.c.id).where(is_own(user_id), highlights.c.media_id == items.c.media_id).limit(1)
    return own.correlate(items).scalar_subquery().is_not(None)


def has_tag(library_ids: Sequence[UUID], name: str) -> ColumnElement[bool]:
    """Tell whether an item has a tag. `EXISTS` is avoided: PostgreSQL would make it a join, and ask it last."""
    own = select_tagged(library_ids, name).where(item_tags.c.item_id == items.c.id)
    return own.correlate(items).scalar_subquery().is_not(None)


def at_site(dialect: SearchDialect, site: str) -> Query:
    token = Term(((site_token(site), False),))
    numbers = dialect.select_matching(WordIndex.ITEM, dialect.spell(IndexQuery(WordIndex.ITEM, [token])))
    return select(search_items.c.item_id).where(search_items.c.no.in_(numbers))


# --- candidates -----------------------------------------------------------------------------------------------


def find_candidates(scope: SearchScope) -> CandidatesByIndex:
    """List the candidates of each index. Further conditions are asked of what is found among them."""
    most = max(FEW, FEW_BY_ROOT * isqrt(scope.tx.execute(LAST_PAGE).scalar_one() or 0))
    size = scope.tx.execute(COUNT_OWN, scope.parameters | {"most": most + 1}).scalar_one()
    if size <= most:
        own = Candidates(size)
        found = {WordIndex.ITEM: own, WordIndex.CARD: own, WordIndex.PAGE: own}
    else:
        found = list_narrowed(scope, most)
    return found | list_marked(scope)


def list_marked(scope: SearchScope) -> CandidatesByIndex:
    """List this person's own highlights, if they are few."""
    marked = scope.tx.execute(select(func.count(), scope.dialect.pack(MARKED.c.no)), scope.parameters).one()
    found = Candidates(*marked)
    return {WordIndex.HIGHLIGHT: found} if found.size <= FEW else {}


def list_narrowed(scope: SearchScope, most: int) -> CandidatesByIndex:
    """List what tags, sites, states and dates leave of many items, if that is few."""
    selective = list(select_by(scope))
    if not selective:
        return {}
    found = select(items.c.id).where(*selective).limit(most + 1)
    size = scope.tx.execute(select(func.count()).select_from(found.subquery())).scalar_one()
    return list_numbers(scope, found) if size <= most else {}


def select_by(scope: SearchScope) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that may leave few items, without the library, since SQLite would begin with that."""
    wanted, query = scope.wanted, scope.query
    names = (*query.tags, *([wanted.tag] if wanted.tag else ()))
    yield from (items.c.id.in_(select_tagged(wanted.library_ids, name)) for name in names)
    yield from (items.c.id.in_(at_site(scope.dialect, site)) for site in query.sites)
    states = ((reading_states.c.is_favourite, wanted.is_favourite), (reading_states.c.is_archived, wanted.is_archived))
    for has_state in (state for state, is_wanted in states if is_wanted):
        own = select(reading_states.c.media_id).where(reading_states.c.user_id == scope.user_id, has_state)
        yield items.c.media_id.in_(own)
    statuses = (*(GIVEN_UP if wanted.has_failed else ()), *([wanted.status] if wanted.status else ()))
    if statuses:
        yield items.c.media_id.in_(select(media.c.id).where(media.c.processing_status.in_(statuses)))
    dates = StateFilter(added_before=wanted.added_before, added_after=wanted.added_after)
    if dates != StateFilter():
        yield from (is_in(items.c.library_id, wanted.library_ids), *narrow_by_state(ITEM_SOURCE, dates))


def list_numbers(scope: SearchScope, item_ids: Query) -> CandidatesByIndex:
    """List the numbers by which the indexes know these items and their pages."""
    found, own, pack = item_ids.subquery("found"), library_numbers.c, scope.dialect.pack
    query = (
        select(func.count(), pack(own.item_no), pack(own.media_no))
        .select_from(found)
        .join(search_items, search_items.c.item_id == found.c.id)
        .join(library_numbers, own.item_no == search_items.c.no)
    )
    size, item_numbers, media_numbers = scope.tx.execute(query).one()
    of_media = Candidates(size, media_numbers)
    return {WordIndex.ITEM: Candidates(size, item_numbers), WordIndex.CARD: of_media, WordIndex.PAGE: of_media}
