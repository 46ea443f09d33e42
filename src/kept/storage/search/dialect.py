"""What the two databases do differently in a search, behind one class: `SqliteSearch` and `PostgresqlSearch`.

There are two strategies. Where the items that may be found are few, an index is asked about their numbers alone
(`rank_candidates`). Where they are many, the index is walked newest first, until enough items are found
(`walk_index`). `scope.py` says which.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, Uuid, and_, bindparam, select

from kept.content.search.query import Term
from kept.storage.database.dialects import Expression, Parameter, Query
from kept.storage.database.engine import Connection
from kept.storage.highlights import is_own
from kept.storage.items import with_states
from kept.storage.search.fields import WordIndex
from kept.storage.tables import highlights, items, search_highlights, search_items, search_media

Conditions = Sequence[ColumnElement[bool]]
# Parameters of every statement of a search: who searches, where, and for what.
USER: Final[Any] = bindparam("user_id", type_=Uuid())
LIBRARIES: Final[Any] = bindparam("library_ids", type_=Uuid(), expanding=True)
WORDS: Final[Parameter] = bindparam("words")
# A beginning of so many letters says little about what it finds.
SHORT_BEGINNING: Final = 2


@dataclass(frozen=True, slots=True)
class IndexQuery:
    """What one index is asked: rows with all of the wanted terms and none of the unwanted, in some fields or in all."""

    index: WordIndex
    wanted: Sequence[Term]
    unwanted: Sequence[Term] = ()
    fields: Sequence[str] = ()

    @property
    def is_ranked(self) -> bool:
        """Not for phrases in articles: FTS5 goes through all articles to count those with the phrase, 70 ms for "of
        the" in 100,000. Elsewhere not for short beginnings."""
        if self.index is WordIndex.PAGE:
            return not any(term.is_phrase for term in self.wanted)
        return not any(is_short_beginning(term) for term in self.wanted)


class Candidates(NamedTuple):
    """The numbers of an index that a search is narrowed to, where they are few."""

    size: int
    packed: str | None = None
    """A list, as the database reads it; None for all numbers of the searched libraries."""

    @property
    def is_listed(self) -> bool:
        return self.packed is not None


@dataclass(frozen=True, slots=True)
class Shape:
    """What a statement depends on, besides its parameters and what else is asked of items."""

    index: WordIndex
    is_ranked: bool
    is_exact: bool
    """Whether the index alone tells which rows match."""
    is_listed: bool | None
    """Whether the candidates are a list; None where there are none, and the index is walked."""
    limit: int


class SearchDialect(ABC):
    put: ClassVar[Mapping[WordIndex, Any]]
    """The statements that write a row of an index."""

    @abstractmethod
    def make_row(self, index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
        """The parameters of `put`."""

    @abstractmethod
    def prepare(self, tx: Connection) -> None:
        """Settings of the transaction, before it searches."""

    @abstractmethod
    def spell(self, query: IndexQuery, *, loosely: bool = False) -> str:
        """A query in the language of the database; `loosely`, as far as its index tells by itself which rows match."""

    @abstractmethod
    def select_matching(self, index: WordIndex, expression: str | Parameter, among: Query | None = None) -> Query:
        """The numbers of all rows that match, or of those among some numbers."""

    @abstractmethod
    def has_words(self, index: WordIndex, number: Expression, expression: str | Parameter) -> ColumnElement[bool]:
        """Whether the row of this number matches."""

    @abstractmethod
    def pack(self, number: ColumnElement[int]) -> Any:
        """Aggregates numbers into one value, each once: to read them row by row takes three times as long."""

    @abstractmethod
    def unpack(self, packed: Expression) -> Query:
        """Selects packed numbers, under the name `no`."""

    @abstractmethod
    def rank_candidates(self, shape: Shape, numbers: Query, conditions: Conditions) -> Query:
        """The newest items that match among these numbers, each with a score."""

    @abstractmethod
    def walk_index(self, shape: Shape, conditions: Conditions) -> Query:
        """The newest items that match, each with a score."""


def select_items(rows: FromClause, index: WordIndex, number: ColumnElement[int], conditions: Conditions) -> Query:
    """Select the items that may be found for rows of an index, which come first.

    Their ids are looked up by number and not joined: a database that knows little of a table yet turns joins round, and
    goes through all numbers for each row.
    """
    query = select(items.c.id).select_from(rows)
    if index is WordIndex.ITEM:
        query = query.join(items, items.c.id == look_up(search_items.c.item_id, search_items.c.no, number))
    elif index is WordIndex.HIGHLIGHT:
        marked = look_up(search_highlights.c.highlight_id, search_highlights.c.no, number)
        query = query.join(highlights, and_(highlights.c.id == marked, is_own(USER)))
        query = query.join(items, items.c.media_id == highlights.c.media_id)
    else:
        query = query.join(items, items.c.media_id == look_up(search_media.c.media_id, search_media.c.no, number))
    return with_states(query, USER).where(items.c.library_id.in_(LIBRARIES), *conditions)


def look_up(wanted: ColumnElement[UUID], key: ColumnElement[int], number: ColumnElement[int]) -> Expression:
    return select(wanted).where(key == number).correlate_except(wanted.table).scalar_subquery()


def is_short_beginning(term: Term) -> bool:
    return term.is_beginning and term.typed_length <= SHORT_BEGINNING


def ends_open(index: WordIndex, term: Term) -> bool:
    """Three letters begin words in nearly every article: there they are a word, in titles and notes a beginning.

    Measured with 100,000 articles: `con*` takes 169 ms in their texts, `cont*` 39 ms, most of four letters under 10.
    """
    if not term.ends_open or index is not WordIndex.PAGE:
        return term.ends_open
    return term.runs[-1][1] or term.typed_length >= 4
