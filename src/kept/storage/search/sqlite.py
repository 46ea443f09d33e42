"""The search index in SQLite: FTS5 tables that hold no text, only where words stand."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Float,
    Insert,
    Integer,
    and_,
    column,
    func,
    insert,
    literal_column,
    select,
    table,
)

from kept.content.search.query import Term
from kept.storage.database.engine import Connection
from kept.storage.database.statements import Query
from kept.storage.search.fields import Among, Hold, Question, WordIndex, is_open, is_short_beginning
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
# To look a row up takes 20 µs, to go past one in the index 0.06: with 100,000 pages that half of them have, as long.
MOST_PROBED: Final = 300
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


def select_listed(numbers: Sequence[int]) -> Query:
    return select(func.json_each(json.dumps(numbers)).table_valued("value").c.value.label("no"))


def may_be_rare(_tx: Connection, _asked: Mapping[WordIndex, str], _rare: int) -> bool:
    """FTS5 finds one row after the other: it is soon counted."""
    return True


def is_among(index: WordIndex, among: Among) -> ColumnElement[bool]:
    """FTS5 begins and ends where they do; the others between are not looked up."""
    number = words_table(index).c.rowid
    return and_(number >= among.first, number <= among.last, number_of(index).in_(among.numbers))


def pack(numbers: ColumnElement[int]) -> Any:
    """All of them in one value, which `unpack` reads."""
    return func.json_group_array(numbers)


def unpack(packed: str) -> list[int]:
    numbers: list[int] = json.loads(packed)
    return numbers


def find_frequent(tx: Connection, questions: Sequence[Question], _among: Sequence[Among | None]) -> list[bool]:
    """Of each whether all its words stand in half of the newest thousand rows: then it says nothing about any row."""
    asked = {at: is_frequent(question) for at, question in enumerate(questions) if not is_put_together(question)}
    if not asked:
        return [False] * len(questions)
    answers = tx.execute(select(*(answer.label(f"is_frequent_{at}") for at, answer in asked.items()))).one()
    found = dict(zip(asked, answers, strict=True))
    return [bool(found.get(at)) for at in range(len(questions))]


def is_put_together(question: Question) -> bool:
    """Whether it asks for longer beginnings: FTS5 puts all words that begin so together before it finds a row."""
    opened = (term for term in question.wanted if is_open(question.way, term))
    return any(term.typed_length > LONGEST_INDEXED or question.way is WordIndex.PAGE for term in opened)


def is_frequent(question: Question) -> ColumnElement[bool]:
    words = words_table(question.way)
    last = select(func.max(NUMBERS[question.way].c.no)).scalar_subquery()
    each = (spell(question.way, [term], [], question.fields) for term in question.wanted)
    counts = (
        select(func.count()).where(matches(question.way, said), words.c.rowid > last - NEWEST).scalar_subquery()
        for said in each
    )
    return and_(*(count >= NEWEST // 2 for count in counts))


def strict(question: Question) -> str:
    return spell(question.way, question.wanted, question.unwanted, question.fields)


def rank(question: Question, hold: Hold, among: Among | None, limit: int, *, weighs: bool) -> Query:
    """The newest of what the question finds and `hold` lets through, and how well each fits."""
    if question.is_frequent and among is not None and among.size <= MOST_PROBED:
        return probe(question, hold, among, limit, weighs=weighs)
    index = question.way
    held = hold(words_table(index), number_of(index))
    if among is not None:
        held = held.where(is_among(index, among))
    score = weigh(question, weighs=weighs).label("score")
    newest = words_table(index).c.rowid.desc()
    return held.add_columns(score).where(matches(index, strict(question))).order_by(newest).limit(limit)


def weigh(question: Question, *, weighs: bool) -> ColumnElement[float]:
    if question.is_frequent or not weighs:
        return literal_column(LEAST if weighs else "1.0", Float)
    weights = (literal_column(str(field.weight), Float) for field in question.way.fields)
    return -func.bm25(literal_column(question.way.value), *weights, type_=Float)


def probe(question: Question, hold: Hold, among: Among, limit: int, *, weighs: bool) -> Query:
    """The same of a few numbers, each looked up by itself: the index is not gone through for the rows of others.

    The lookup is no `EXISTS` and the numbers have a limit, for SQLite would make one join of all, and begin elsewhere.
    """
    words, numbers = words_table(question.way), among.numbers.subquery("among")
    is_found = matches(question.way, strict(question))
    has_it = select(words.c.rowid).where(words.c.rowid == numbers.c.no, is_found).correlate(numbers).limit(1)
    found = select(numbers.c.no).where(has_it.scalar_subquery().is_not(None))
    rows = found.order_by(numbers.c.no.desc()).limit(among.size).subquery("found")
    score = weigh(question, weighs=weighs).label("score")
    return hold(rows, rows.c.no).add_columns(score).order_by(rows.c.no.desc()).limit(limit)
