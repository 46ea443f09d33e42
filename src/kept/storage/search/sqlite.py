"""The search index in SQLite: FTS5 tables that hold no text, only where words stand."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from sqlalchemy import ColumnElement, Float, Insert, Integer, column, func, insert, literal_column, select
from sqlalchemy import table as table_of

from kept.content.search.query import Term
from kept.storage.database.dialects import Expression, Parameter, Query
from kept.storage.database.engine import Connection
from kept.storage.search import dialect
from kept.storage.search.dialect import WORDS, Conditions, IndexQuery, SearchDialect, Shape
from kept.storage.search.fields import WordIndex

# A hidden column of the same name stands for the whole table.
TABLES: Final = {index: table_of(index.value, column("rowid"), column(index.value)) for index in WordIndex}


def put_statement(index: WordIndex) -> Insert:
    words = table_of(index.value, column("rowid"), *(column(field.name) for field in index.fields))
    return insert(words).prefix_with("OR REPLACE")


class SqliteSearch(SearchDialect):
    put: ClassVar = {index: put_statement(index) for index in WordIndex}

    def make_row(self, index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
        return {"rowid": no} | {field.name: said for field, said in zip(index.fields, words, strict=True)}

    def prepare(self, tx: Connection) -> None:
        """SQLite needs no settings."""

    def spell(self, query: IndexQuery, *, loosely: bool = False) -> str:
        """In FTS5's query language."""
        fields = f"{{{' '.join(query.fields)}}} : " if query.fields else ""
        wanted = " AND ".join(spell_term(query.index, term) for term in query.wanted)
        unwanted = " OR ".join(spell_term(query.index, term) for term in query.unwanted)
        return f"{fields}({wanted})" + (f" NOT ({unwanted})" if unwanted else "")

    def select_matching(self, index: WordIndex, expression: str | Parameter, among: Query | None = None) -> Query:
        found = select(TABLES[index].c.rowid).where(matches(index, expression))
        return found if among is None else found.where(number_of(index).in_(among))

    def has_words(self, index: WordIndex, number: Expression, expression: str | Parameter) -> ColumnElement[bool]:
        """All numbers that match are listed once."""
        return number.in_(self.select_matching(index, expression))

    def pack(self, number: ColumnElement[int]) -> Any:
        return func.json_group_array(number.distinct()).filter(number.is_not(None))

    def unpack(self, packed: Expression) -> Query:
        return select(func.json_each(packed).table_valued("value").c.value.label("no"))

    def rank_candidates(self, shape: Shape, numbers: Query, conditions: Conditions) -> Query:
        """FTS5 begins and ends where the numbers do: people come and go, and hold pages of their own years."""
        number, own = TABLES[shape.index].c.rowid, numbers.subquery("own").c.no
        first, last = select(func.min(own)).scalar_subquery(), select(func.max(own)).scalar_subquery()
        narrowed = [number_of(shape.index).in_(numbers), number >= first, number <= last]
        return self.walk_index(shape, [*narrowed, *conditions])

    def walk_index(self, shape: Shape, conditions: Conditions) -> Query:
        index = shape.index
        found = dialect.select_items(TABLES[index], index, number_of(index), [*conditions, matches(index, WORDS)])
        newest = found.order_by(TABLES[index].c.rowid.desc()).limit(shape.limit)
        if not shape.is_ranked:
            return newest.add_columns(literal_column("1.0", Float).label("score"))
        weights = (literal_column(str(field.weight), Float) for field in index.fields)
        return newest.add_columns((-func.bm25(literal_column(index.value), *weights, type_=Float)).label("score"))


def number_of(index: WordIndex) -> ColumnElement[int]:
    """The plus keeps SQLite from going through all items and asking the index for each: the index comes first."""
    return literal_column(f"+{index.value}.rowid", Integer)


def matches(index: WordIndex, expression: str | Parameter) -> ColumnElement[bool]:
    return TABLES[index].c[index.value].op("MATCH", is_comparison=True)(expression)


def spell_term(index: WordIndex, term: Term) -> str:
    phrase = f'"{" ".join(term.tokens)}"'
    if not dialect.ends_open(index, term):
        return phrase
    # The whole word counts once more than what merely begins like it, where that is ranked.
    return f"{phrase} *" if dialect.is_short_beginning(term) else f"({phrase} OR {phrase} *)"
