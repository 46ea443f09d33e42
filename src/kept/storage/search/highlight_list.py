"""Lists of one person's highlights by what they ask for: words, colour, site, time; newest first."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from types import ModuleType
from typing import Final
from uuid import UUID

from sqlalchemy import Column, ColumnElement, and_, false, func, select, tuple_, union_all

from kept.content.search.query import SearchQuery, Term
from kept.domain.highlight import Highlight, HighlightFilter
from kept.domain.paging import Position
from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
from kept.storage.highlights import HIGHLIGHT_COLUMNS, highlight_of_columns, is_own, is_readable_by
from kept.storage.items import held_by_member
from kept.storage.search import postgresql as search_postgresql
from kept.storage.search import sqlite as search_sqlite
from kept.storage.search.fields import WordIndex
from kept.storage.search.scope import at_site
from kept.storage.tables import highlights, items, search_highlights

# How far "on this day" looks back.
YEARS: Final = 60
FEW: Final = 200
# Of what a search finds in the highlights of some pages, to show a passage of each.
MOST_PASSAGES: Final = 200


def list_found_highlights(
    tx: Connection, user_id: UUID, wanted: HighlightFilter, query: SearchQuery, *, after: Position | None, limit: int
) -> list[Highlight]:
    place = (highlights.c.created_at, highlights.c.id)
    # Who asks for a site gets what their own libraries hold of it, and nothing else has to be looked up for each.
    readable = is_own(user_id) if query.sites else is_readable_by(user_id)
    listed = select(*HIGHLIGHT_COLUMNS).where(readable, *narrow(wanted, query))
    listed = listed.where(*match_words(tx, query), *match_sites(tx, user_id, query))
    if wanted.on_day is not None:
        listed = listed.where(is_one_of(tx, highlights.c.id, select_on_days(tx, user_id, wanted.on_day)))
    if after is not None:
        listed = listed.where(tuple_(*place) < (after.created_at, after.item_id))
    newest_first = listed.order_by(*(column.desc() for column in place))
    return [highlight_of_columns(row) for row in tx.execute(newest_first.limit(limit))]


def list_passages(
    tx: Connection, user_id: UUID, media_ids: Sequence[UUID], terms: Sequence[Term]
) -> Iterator[Highlight]:
    """The newest of this person's highlights on these media that have all the words."""
    numbers = port_of(tx).select_numbers(WordIndex.HIGHLIGHT, port_of(tx).spell(WordIndex.HIGHLIGHT, terms, ()))
    found = select(*HIGHLIGHT_COLUMNS).where(is_own(user_id), highlights.c.media_id.in_(media_ids))
    is_found = highlights.c.id.in_(select_numbered(numbers))
    rows = tx.execute(found.where(is_found).order_by(highlights.c.created_at.desc()).limit(MOST_PASSAGES))
    return (highlight_of_columns(row) for row in rows)


def port_of(tx: Connection) -> ModuleType:
    return search_sqlite if tx.dialect.name == "sqlite" else search_postgresql


def is_one_of(tx: Connection, column: Column[UUID], among: Query) -> ColumnElement[bool]:
    """Few are looked up first: PostgreSQL would go through all highlights for the newest of them, and ask for each."""
    few = list(tx.execute(among.limit(FEW + 1)).scalars())
    return column.in_(few if len(few) <= FEW else among)


def select_numbered(numbers: Query) -> Query:
    return select(search_highlights.c.highlight_id).where(search_highlights.c.no.in_(numbers))


def match_words(tx: Connection, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    index, port = WordIndex.HIGHLIGHT, port_of(tx)
    if query.wanted:
        found = port.select_numbers(index, port.spell(index, query.wanted, ()))
        yield is_one_of(tx, highlights.c.id, select_numbered(found))
    if query.unwanted:
        found = port.select_numbers(index, port.spell_any(index, query.unwanted))
        yield ~is_one_of(tx, highlights.c.id, select_numbered(found))


def match_sites(tx: Connection, user_id: UUID, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    """By the URLs under which this person's own libraries hold the pages."""
    for site in query.sites:
        yield is_one_of(tx, highlights.c.media_id, select_at(port_of(tx), user_id, site))
    for site in query.unwanted_sites:
        yield ~is_one_of(tx, highlights.c.media_id, select_at(port_of(tx), user_id, site))


def select_at(port: ModuleType, user_id: UUID, site: str) -> Query:
    return select(items.c.media_id).where(items.c.id.in_(at_site(port, site)), held_by_member(user_id))


def narrow(wanted: HighlightFilter, query: SearchQuery) -> Iterator[ColumnElement[bool]]:
    if wanted.colour is not None:
        yield highlights.c.colour == wanted.colour
    for since in filter(None, (wanted.since, query.after)):
        yield highlights.c.created_at >= since
    for until in filter(None, (wanted.until, query.before)):
        yield highlights.c.created_at < until


def select_on_days(tx: Connection, user_id: UUID, day: date) -> Query:
    """Those of this day in each earlier year, found by its own range of the index: to ask many ranges of each of
    50,000 highlights takes half a second."""
    own = highlights.c.user_id == user_id
    oldest = tx.scalar(select(func.min(highlights.c.created_at)).where(own))
    days = same_days_before(day, oldest.year) if oldest else ()
    each = [select(highlights.c.id).where(own, is_on(start)) for start in days]
    return select(union_all(*each).subquery().c.id) if each else select(highlights.c.id).where(false())


def same_days_before(day: date, first_year: int) -> Iterator[datetime]:
    """Where each begins; 29 February is in leap years only."""
    for year in range(max(first_year, day.year - YEARS), day.year):
        try:
            yield datetime(year, day.month, day.day, tzinfo=UTC)
        except ValueError:
            continue


def is_on(day: datetime) -> ColumnElement[bool]:
    return and_(highlights.c.created_at >= day, highlights.c.created_at < day + timedelta(days=1))
