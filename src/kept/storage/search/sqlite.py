"""The search index in SQLite: FTS5 tables that hold no text, only where words stand."""

import json
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Float,
    Insert,
    Integer,
    column,
    func,
    insert,
    literal_column,
    select,
    table,
)

from kept.content.search.query import Term
from kept.storage.database.statements import Query
from kept.storage.search.fields import Hold, Question, WordIndex, is_open


def put_statement(index: WordIndex) -> Insert:
    words = table(index.value, column("rowid"), *(column(field.name) for field in index.fields))
    return insert(words).prefix_with("OR REPLACE")


PUT: Final = {index: put_statement(index) for index in WordIndex}


def values_of(index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
    return {"rowid": no} | {field.name: said for field, said in zip(index.fields, words, strict=True)}


PREPARE: Final = None


# --- asking ---------------------------------------------------------------------------------------------------


def spell(index: WordIndex, wanted: Sequence[Term], unwanted: Sequence[Term], fields: Sequence[str] = ()) -> str:
    """In FTS5's query language."""
    scope = f"{{{' '.join(fields)}}} : " if fields else ""
    expression = " AND ".join(spell_term(index, term) for term in wanted)
    left_out = " OR ".join(spell_term(index, term) for term in unwanted)
    return f"{scope}({expression})" + (f" NOT ({left_out})" if left_out else "")


def spell_loosely(index: WordIndex, wanted: Sequence[Term], unwanted: Sequence[Term]) -> str:
    """What the index tells without effort: here, all."""
    return spell(index, wanted, unwanted)


def spell_term(index: WordIndex, term: Term) -> str:
    phrase = f'"{" ".join(term.tokens)}"'
    # The whole word counts once more than what merely begins like it.
    return f"({phrase} OR {phrase} *)" if is_open(index, term) else phrase


def spell_any(index: WordIndex, terms: Sequence[Term]) -> str:
    return " OR ".join(spell_term(index, term) for term in terms)


def spell_token(token: str) -> str:
    return f'"{token}"'


# Its hidden column of the same name stands for the whole table.
TABLES: Final = {index: table(index.value, column("rowid"), column(index.value)) for index in WordIndex}


def words_table(index: WordIndex) -> Any:
    return TABLES[index]


def number_of(index: WordIndex) -> ColumnElement[int]:
    """The plus keeps SQLite from going through all items and asking the index for each: the index comes first."""
    return literal_column(f"+{index.value}.rowid", Integer)


def matches(index: WordIndex, expression: str) -> ColumnElement[bool]:
    return words_table(index).c[index.value].op("MATCH", is_comparison=True)(expression)  # type: ignore[no-any-return]


def select_numbers(index: WordIndex, expression: str) -> Query:
    return select(words_table(index).c.rowid).where(matches(index, expression))


def has_words(index: WordIndex, number: ColumnElement[int], expression: str) -> ColumnElement[bool]:
    """Whether the row of this number is found. All numbers that are found are listed once."""
    return number.in_(select_numbers(index, expression))


def is_among(index: WordIndex, numbers: Sequence[int]) -> ColumnElement[bool]:
    listed = func.json_each(json.dumps(list(numbers))).table_valued("value")
    return number_of(index).in_(select(listed.c.value))


def pack(numbers: ColumnElement[int]) -> Any:
    """All of them in one value, which `unpack` reads."""
    return func.json_group_array(numbers)


def unpack(packed: str) -> list[int]:
    numbers: list[int] = json.loads(packed)
    return numbers


def rank(question: Question, hold: Hold, among: Sequence[int] | None, limit: int, *, weighs: bool) -> Query:
    """The newest of what the question finds and `hold` lets through, and how well each fits."""
    index = question.way
    held = hold(words_table(index), number_of(index))
    if among is not None:
        held = held.where(is_among(index, among))
    weights = (literal_column(str(field.weight), Float) for field in index.fields)
    fits = -func.bm25(literal_column(index.value), *weights, type_=Float)
    score = (fits if weighs else literal_column("1.0", Float)).label("score")
    expression = spell(index, question.wanted, question.unwanted, question.fields)
    newest = words_table(index).c.rowid.desc()
    return held.add_columns(score).where(matches(index, expression)).order_by(newest).limit(limit)
