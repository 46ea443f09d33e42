"""The search index in SQLite: FTS5 tables that hold no text, only where words stand."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Float,
    Insert,
    Integer,
    TableClause,
    bindparam,
    column,
    func,
    insert,
    literal,
    literal_column,
    select,
    table,
)

from kept.content.search.query import Term
from kept.storage.database.dialects import Expression, Parameter, Query
from kept.storage.database.engine import Connection
from kept.storage.search.fields import Among, Asked, Hold, Question, Within, WordIndex, is_open, is_short_beginning
from kept.storage.tables import search_highlights, search_items, search_media


def put_statement(index: WordIndex) -> Insert:
    words = table(index.value, column("rowid"), *(column(field.name) for field in index.fields))
    return insert(words).prefix_with("OR REPLACE")


PUT: Final = {index: put_statement(index) for index in WordIndex}


def values_of(index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
    return {"rowid": no} | {field.name: said for field, said in zip(index.fields, words, strict=True)}


PREPARE: Final = None
NUMBERS: Final = {
    WordIndex.ITEM: search_items,
    WordIndex.CARD: search_media,
    WordIndex.PAGE: search_media,
    WordIndex.HIGHLIGHT: search_highlights,
}
# Beginnings of so many letters have an index of their own, but in the texts of articles.
LONGEST_INDEXED: Final = 3
# Among so many of the newest rows it is seen how frequent a word is; takes 0.2 ms.
NEWEST: Final = 1_000
# To look a row up takes 20 µs, as long as to go past so many rows of a frequent word.
LOOKUP_STEPS: Final = 500
# What bm25 gives for a word that half of all rows have, after counting them all.
LEAST: Final = "0.000001"


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
    if not is_open(index, term):
        return phrase
    # The whole word counts once more than what merely begins like it, where that is weighed.
    return f"{phrase} *" if is_short_beginning(term) else f"({phrase} OR {phrase} *)"


def spell_any(index: WordIndex, terms: Sequence[Term]) -> str:
    return " OR ".join(spell_term(index, term) for term in terms)


def spell_token(token: str) -> str:
    return f'"{token}"'


# Its hidden column of the same name stands for the whole table.
TABLES: Final = {index: table(index.value, column("rowid"), column(index.value)) for index in WordIndex}


def words_table(index: WordIndex) -> TableClause:
    return TABLES[index]


def number_of(index: WordIndex) -> ColumnElement[int]:
    """The plus keeps SQLite from going through all items and asking the index for each: the index comes first."""
    return literal_column(f"+{index.value}.rowid", Integer)


def matches(index: WordIndex, expression: str | Parameter) -> ColumnElement[bool]:
    return words_table(index).c[index.value].op("MATCH", is_comparison=True)(expression)


def select_numbers(index: WordIndex, expression: str | Parameter) -> Query:
    return select(words_table(index).c.rowid).where(matches(index, expression))


def has_words(index: WordIndex, number: ColumnElement[int], expression: str) -> ColumnElement[bool]:
    """Whether the row of this number is found. All numbers that are found are listed once."""
    return number.in_(select_numbers(index, expression))


def pack_list(numbers: Sequence[int]) -> str:
    return json.dumps(numbers)


def select_listed(packed: Expression) -> Query:
    return select(func.json_each(packed).table_valued("value").c.value.label("no"))


def is_listed(index: WordIndex, packed: str) -> ColumnElement[bool]:
    return number_of(index).in_(select_listed(literal(packed)))


def may_be_rare(_tx: Connection, _asked: Mapping[WordIndex, str], _rare: int, _last_page: int) -> bool:
    """FTS5 finds one row after the other: it is soon counted."""
    return True


def pack(number: ColumnElement[int]) -> Any:
    """Each of them once, in one value, as `pack_list` writes it: libraries share pages."""
    return func.json_group_array(number.distinct()).filter(number.is_not(None))


def find_frequent(
    tx: Connection, questions: Sequence[Question], among: Sequence[Among | None], _last_page: int
) -> list[bool]:
    """Of each whether all its words stand in half of the newest thousand rows: then it says nothing about any row."""
    return [
        matters(question, some) and all(is_frequent(tx, question.way, term) for term in question.wanted)
        for question, some in zip(questions, among, strict=True)
    ]


def matters(question: Question, among: Among | None) -> bool:
    """Whether it is asked otherwise if it is frequent."""
    return not question.fields and (question.weighs or (among is not None and are_scattered(among)))


def is_frequent(tx: Connection, index: WordIndex, term: Term) -> bool:
    if is_open(index, term) and (term.typed_length > LONGEST_INDEXED or index is WordIndex.PAGE):
        return False  # FTS5 would put all words that begin so together before it finds a row
    said = {"words": spell_term(index, term), "newest": NEWEST}
    return bool(tx.execute(COUNT_NEWEST[index], said).scalar_one() >= NEWEST // 2)


def count_newest(index: WordIndex) -> Query:
    last = select(func.max(NUMBERS[index].c.no)).scalar_subquery()
    is_new = words_table(index).c.rowid > last - bindparam("newest", type_=Integer)
    return select(func.count()).where(matches(index, bindparam("words")), is_new)


COUNT_NEWEST: Final = {index: count_newest(index) for index in WordIndex}


def parameters_of(question: Question) -> dict[str, object]:
    return {"words": spell(question.way, question.wanted, question.unwanted, question.fields)}


def is_looked_up(question: Question, among: Among) -> bool:
    return question.is_frequent and are_scattered(among)


def are_scattered(among: Among) -> bool:
    return among.size * LOOKUP_STEPS <= among.last - among.first


def is_exact(_question: Question) -> bool:
    """FTS5 knows places and fields."""
    return True


def rank(asked: Asked, hold: Hold, within: Within | None, limit: int) -> Query:
    """The newest of what the question finds and `hold` lets through, and how well each fits."""
    if asked.is_looked_up and within is not None:
        return probe(asked, hold, within, limit)
    index, number = asked.way, words_table(asked.way).c.rowid
    held = hold.join(words_table(index), number_of(index)).where(matches(index, asked.parameter("words")))
    if within is not None:
        # FTS5 begins and ends where they do; the others between are not looked up.
        held = held.where(number >= within.first, number <= within.last, number_of(index).in_(within.numbers))
    return held.add_columns(weigh(asked).label("score")).order_by(number.desc()).limit(limit)


def weigh(asked: Asked) -> ColumnElement[float]:
    if asked.is_frequent or not asked.weighs:
        return literal_column(LEAST if asked.weighs else "1.0", Float)
    weights = (literal_column(str(field.weight), Float) for field in asked.way.fields)
    return -func.bm25(literal_column(asked.way.value), *weights, type_=Float)


def probe(asked: Asked, hold: Hold, within: Within, limit: int) -> Query:
    """The same of a few numbers, each looked up by itself: the index is not gone through for the rows of others.

    The lookup is no `EXISTS` and the numbers have a limit (none), for SQLite would make one join of all, and begin
    elsewhere.
    """
    words, numbers = words_table(asked.way), within.numbers.subquery("among")
    is_found = matches(asked.way, asked.parameter("words"))
    has_it = select(words.c.rowid).where(words.c.rowid == numbers.c.no, is_found).correlate(numbers).limit(1)
    found = select(numbers.c.no).where(has_it.scalar_subquery().is_not(None))
    rows = found.order_by(numbers.c.no.desc()).limit(-1).subquery("found")
    score = weigh(asked).label("score")
    return hold.join(rows, rows.c.no).add_columns(score).order_by(rows.c.no.desc()).limit(limit)
