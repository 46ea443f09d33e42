"""Lists of one person's highlights by what they ask for: words, colour, site, time; newest first.

They are walked through newest first, until a page is full, and each is asked whether it has all of it. Where a word,
a site or a day leaves only few, these are looked up instead, and sorted. No statement leaves the choice to what
PostgreSQL knows of the tables: those that were just filled are as quick.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, String, Uuid, and_, bindparam, false, func, select, tuple_, union_all

from kept.content.search.query import SearchQuery, Term
from kept.domain.highlight import Highlight, HighlightFilter
from kept.domain.paging import Position
from kept.storage.database.dialects import Query
from kept.storage.database.engine import Connection
from kept.storage.highlights import HIGHLIGHT_COLUMNS, highlight_of_columns, is_held_by, is_own
from kept.storage.items import held_by_member
from kept.storage.search.dialect import IndexQuery, SearchDialect
from kept.storage.search.dialects import dialect_of
from kept.storage.search.fields import WordIndex
from kept.storage.search.scope import at_site
from kept.storage.tables import highlights, items, search_highlights

# How far "on this day" looks back.
YEARS: Final = 60
# To look up and sort so many takes as long as to walk through 50,000 for those that one in fifty has.
FEW: Final = 1_000
# Of what a search finds in the highlights of some pages, to show a passage of each.
MOST_PASSAGES: Final = 200
NUMBER: Final = (
    select(search_highlights.c.no)
    .where(search_highlights.c.highlight_id == highlights.c.id)
    .correlate(highlights)
    .scalar_subquery()
)


class Narrowing(NamedTuple):
    """What is asked of each highlight, and the ids of all that have it, if they are few."""

    condition: ColumnElement[bool]
    few: Sequence[UUID] | None = None


def list_found_highlights(
    tx: Connection, user_id: UUID, wanted: HighlightFilter, query: SearchQuery, *, after: Position | None, limit: int
) -> list[Highlight]:
    dialect_of(tx).prepare(tx)
    place = (highlights.c.created_at, highlights.c.id)
    listed = select(*HIGHLIGHT_COLUMNS).where(*narrow(wanted, query), *leave_out(tx, user_id, query))
    narrowings = list(find_narrowings(tx, user_id, wanted, query))
    fewest = min((found for found in narrowings if found.few is not None), key=count_few, default=None)
    asked = (narrowing.condition for narrowing in narrowings if narrowing is not fewest)
    listed = listed.where(select_own(user_id, fewest), *asked)
    if not query.sites:  # who asks for a site gets what their own libraries hold of it
        listed = listed.where(is_held_by(user_id))
    if after is not None:
        listed = listed.where(tuple_(*place) < (after.created_at, after.item_id))
    newest_first = listed.order_by(*(column.desc() for column in place))
    return [highlight_of_columns(row) for row in tx.execute(newest_first.limit(limit))]


def count_few(narrowing: Narrowing) -> int:
    return len(narrowing.few or ())


def select_own(user_id: UUID, fewest: Narrowing | None) -> ColumnElement[bool]:
    if fewest is None or fewest.few is None:
        return is_own(user_id)
    # Asked of a call, so that no database walks through all of the person's for the order instead of looking these up.
    is_theirs = func.coalesce(highlights.c.user_id, highlights.c.user_id) == user_id
    return and_(highlights.c.id.in_(fewest.few), is_theirs, highlights.c.removed_at.is_(None))


def find_narrowings(tx: Connection, user_id: UUID, wanted: HighlightFilter, query: SearchQuery) -> Iterator[Narrowing]:
    if query.wanted:
        yield find_with_words(tx, query.wanted)
    for site in query.sites:
        yield find_at_site(tx, user_id, site)
    if wanted.on_day is not None:
        found = select_on_days(tx, user_id, wanted)
        few = list_if_few(tx, found)
        yield Narrowing(highlights.c.id.in_(found if few is None else few), few)


def list_passages(
    tx: Connection, user_id: UUID, media_ids: Sequence[UUID], terms: Sequence[Term]
) -> Iterator[Highlight]:
    """The newest of this person's highlights on these media that have all the words."""
    dialect = dialect_of(tx)
    words = dialect.spell(IndexQuery(WordIndex.HIGHLIGHT, terms))
    rows = tx.execute(select_passages(dialect), {"words": words, "user_id": user_id, "media_ids": media_ids})
    return (highlight_of_columns(row) for row in rows)


@cache
def select_passages(dialect: SearchDialect) -> Query:
    """Made once: every search asks it."""
    is_here = highlights.c.media_id.in_(bindparam("media_ids", expanding=True))
    numbers = dialect.select_matching(WordIndex.HIGHLIGHT, bindparam("words", type_=String))
    is_found = highlights.c.id.in_(select_numbered(numbers))
    found = select(*HIGHLIGHT_COLUMNS).where(is_own(bindparam("user_id", type_=Uuid())), is_here, is_found)
    return found.order_by(highlights.c.created_at.desc()).limit(MOST_PASSAGES)


def list_if_few(tx: Connection, among: Query) -> Sequence[UUID] | None:
    """They are counted first: to read a thousand ids takes longer."""
    number = tx.execute(select(func.count()).select_from(among.limit(FEW + 1).subquery())).scalar_one()
    return tx.execute(among).scalars().all() if number <= FEW else None


def select_numbered(numbers: Query | Sequence[int]) -> Query:
    return select(search_highlights.c.highlight_id).where(search_highlights.c.no.in_(numbers))


def find_with_words(tx: Connection, terms: Sequence[Term]) -> Narrowing:
    """Few in all, whoever marked them; whose they are is asked of each."""
    index, dialect = WordIndex.HIGHLIGHT, dialect_of(tx)
    expression = dialect.spell(IndexQuery(index, terms))
    numbers = tx.execute(dialect.select_matching(index, expression).limit(FEW + 1)).scalars().all()
    few = tx.execute(select_numbered(numbers)).scalars().all() if len(numbers) <= FEW else None
    return Narrowing(dialect.has_words(index, NUMBER, expression), few)


def find_at_site(tx: Connection, user_id: UUID, site: str) -> Narrowing:
    """By the URLs under which this person's own libraries hold the pages."""
    condition = is_on_page(tx, select_at(dialect_of(tx), user_id, site))
    return Narrowing(condition, list_if_few(tx, select(highlights.c.id).where(is_own(user_id), condition)))


def is_on_page(tx: Connection, pages: Query) -> ColumnElement[bool]:
    few = tx.execute(pages.limit(FEW + 1)).scalars().all()
    return highlights.c.media_id.in_(few if len(few) <= FEW else pages)


def select_at(dialect: SearchDialect, user_id: UUID, site: str) -> Query:
    return select(items.c.media_id).where(items.c.id.in_(at_site(dialect, site)), held_by_member(user_id))


def leave_out(tx: Connection, user_id: UUID, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    index, dialect = WordIndex.HIGHLIGHT, dialect_of(tx)
    for term in query.unwanted:
        has_term = dialect.has_words(index, NUMBER, dialect.spell(IndexQuery(index, [term])))
        yield ~func.coalesce(has_term, false())  # what is not indexed yet has no words
    for site in query.unwanted_sites:
        yield ~is_on_page(tx, select_at(dialect, user_id, site))


def narrow(wanted: HighlightFilter, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    if wanted.colour is not None:
        yield highlights.c.colour == wanted.colour
    for since in filter(None, (wanted.since, query.after)):
        yield highlights.c.created_at >= since
    for until in filter(None, (wanted.until, query.before)):
        yield highlights.c.created_at < until


def select_on_days(tx: Connection, user_id: UUID, wanted: HighlightFilter) -> Query:
    """Those of this day in each earlier year, found by its own range of the index: to ask many ranges of each of
    50,000 highlights takes half a second."""
    own = highlights.c.user_id == user_id
    oldest = tx.scalar(select(func.min(highlights.c.created_at)).where(own))
    each = [select(highlights.c.id).where(own, is_within(*day)) for day in same_days_before(wanted, oldest)]
    return select(union_all(*each).subquery().c.id) if each else select(highlights.c.id).where(false())


def same_days_before(wanted: HighlightFilter, oldest: datetime | None) -> Iterator[tuple[datetime, datetime]]:
    """Where each begins and ends, in the reader's time zone; 29 February is in leap years only."""
    day = wanted.on_day
    if day is None or oldest is None:
        return
    for year in range(max(oldest.year, day.year - YEARS), day.year):
        with suppress(ValueError):
            start = datetime(year, day.month, day.day, tzinfo=wanted.zone)
            yield start.astimezone(UTC), (start + timedelta(days=1)).astimezone(UTC)


def is_within(start: datetime, end: datetime) -> ColumnElement[bool]:
    return and_(highlights.c.created_at >= start, highlights.c.created_at < end)
