"""The search index in PostgreSQL: vectors of our own tokens, under GIN."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    bindparam,
    case,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY, REAL, TSQUERY, TSVECTOR, insert

from kept.content.search.query import Term
from kept.storage.database.dialects import Expression, Parameter, Query, UnionQuery
from kept.storage.database.engine import Connection
from kept.storage.search.fields import Among, Asked, Hold, Question, Within, WordIndex, is_open

# PostgreSQL's limits: of a vector (1 MB, some kept for what it adds itself), of a word's places, of a place.
MOST_BYTES: Final = 900_000
MOST_PLACES: Final = 255
LAST_PLACE: Final = 16_383
# Between two fields, so that no phrase reaches from one into the next.
GAP: Final = 2
SCALE: Final = 8.0  # its weights go up to 1


TABLES: Final = {index: table(index.value, column("no", BigInteger), column("words", TSVECTOR)) for index in WordIndex}


def words_table(index: WordIndex) -> Any:
    return TABLES[index]


def put_statement(index: WordIndex) -> Any:
    put = insert(words_table(index)).values(no=bindparam("no"), words=cast(bindparam("words"), TSVECTOR))
    return put.on_conflict_do_update(index_elements=["no"], set_={"words": put.excluded.words})


PUT: Final = {index: put_statement(index) for index in WordIndex}


def values_of(index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
    labels = [field.label for field in index.fields]
    return {"no": no, "words": spell_vector(list(zip(words, labels, strict=True)))}


def spell_vector(fields: Sequence[tuple[str, str]]) -> str:
    """A vector as PostgreSQL reads it. What is beyond its limits is left out: an article must never fail for it."""
    places: dict[str, list[str]] = {}
    place, size = 0, 0
    for words, label in fields:
        for token in words.split():
            place += 1
            found = places.get(token)
            if found is None:
                size += len(token.encode()) + 8
                if size > MOST_BYTES:
                    break
                places[token] = found = []
            if len(found) < MOST_PLACES:
                size += 2
                found.append(f"{min(place, LAST_PLACE)}{label}")
        place += GAP
    return " ".join(f"'{token}':{','.join(at)}" for token, at in places.items())


# PostgreSQL knows little of how frequent words are, nothing of phrases and of what it takes to unpack a vector:
# left to itself it goes through whole tables. The statements say in which order to go; these settings hold it to them.
# To start workers for a query takes longer than to answer it.
SETTINGS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "max_parallel_workers_per_gather": "0",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_memoize": "off",
    "join_collapse_limit": "1",
}
PREPARE: Final = select(*(func.set_config(name, value, True) for name, value in SETTINGS.items()))
# So many numbers are looked up one by one, however rare the words are.
FEWEST: Final = 200
# Of a word that is not among the most frequent, PostgreSQL expects one row in 200.
SHARE_OF_UNKNOWN: Final = 0.006
PHRASE: Final = " <-> "
# Among about so many of the newest rows, frequent words are looked for without the index: 1 to 6 ms for each index.
NEWEST: Final = {WordIndex.ITEM: 1_000, WordIndex.CARD: 8_000, WordIndex.PAGE: 1_000, WordIndex.HIGHLIGHT: 1_000}
# So many of them tell whether a question is frequent, and how many of these must answer it: else it takes the index
# as long as without them, and to look through them is lost.
SAMPLE: Final = {WordIndex.ITEM: 100, WordIndex.CARD: 400, WordIndex.PAGE: 100, WordIndex.HIGHLIGHT: 100}
LEAST_FREQUENT: Final = {WordIndex.ITEM: 18, WordIndex.CARD: 10, WordIndex.PAGE: 18, WordIndex.HIGHLIGHT: 18}
# To weigh a phrase of a hundred tokens takes 0.3 ms; it comes to the same by its beginning.
MOST_WEIGHED: Final = 8


# --- asking ---------------------------------------------------------------------------------------------------


def spell(index: WordIndex, wanted: Sequence[Term], unwanted: Sequence[Term], fields: Sequence[str] = ()) -> str:
    """In the language of `tsquery`."""
    labels = labels_of(index, fields)
    expression = " & ".join(spell_term(index, term, labels) for term in wanted)
    return expression + "".join(f" & !({spell_term(index, term, '')})" for term in unwanted)


def labels_of(index: WordIndex, fields: Sequence[str]) -> str:
    return "".join(field.label for field in index.fields if field.name in fields)


def spell_loosely(index: WordIndex, wanted: Sequence[Term], unwanted: Sequence[Term]) -> str:
    """What the index tells by itself, which knows no places and no fields: all that `spell` finds, and more."""
    expression = " & ".join(spell_term(index, term, "", " & ") for term in wanted)
    words = (term for term in unwanted if len(term.tokens) == 1)
    return expression + "".join(f" & !({spell_term(index, term, '')})" for term in words)


def spell_to_weigh(index: WordIndex, wanted: Sequence[Term], fields: Sequence[str]) -> str:
    """The whole word counts once more than what merely begins like it."""
    labels = labels_of(index, fields)
    return " & ".join(
        f"({spell_words(term, labels, most=MOST_WEIGHED)} | {spell_term(index, term, labels, most=MOST_WEIGHED)})"
        if is_open(index, term)
        else spell_term(index, term, labels, most=MOST_WEIGHED)
        for term in wanted
    )


def spell_term(index: WordIndex, term: Term, labels: str, then: str = PHRASE, most: int | None = None) -> str:
    *first, last = term.tokens[:most]
    if not is_open(index, term) or last != term.tokens[-1]:
        return spell_words(term, labels, then, most)
    begun = [*(spell_word(token, labels) for token in first), f"'{last}':*{labels}"]
    return f"({then.join(begun)})"


def spell_words(term: Term, labels: str, then: str = PHRASE, most: int | None = None) -> str:
    return f"({then.join(spell_word(token, labels) for token in term.tokens[:most])})"


def spell_word(token: str, labels: str) -> str:
    return f"'{token}':{labels}" if labels else f"'{token}'"


def spell_any(index: WordIndex, terms: Sequence[Term]) -> str:
    return " | ".join(spell_term(index, term, "") for term in terms)


def spell_token(token: str) -> str:
    return f"'{token}'"


def number_of(index: WordIndex) -> ColumnElement[int]:
    return words_table(index).c.no  # type: ignore[no-any-return]


def matches(words: Any, expression: str | Parameter) -> ColumnElement[bool]:
    return words.c.words.op("@@", is_comparison=True)(query_of(expression))  # type: ignore[no-any-return]


def query_of(expression: str | Parameter) -> Expression:
    return cast(literal(expression) if isinstance(expression, str) else expression, TSQUERY)


def select_numbers(index: WordIndex, expression: str | Parameter) -> Query:
    return select(number_of(index)).where(matches(words_table(index), expression))


def has_words(index: WordIndex, number: ColumnElement[int], expression: str) -> ColumnElement[bool]:
    """Whether the row of this number is found. It is looked up: to list all that are found would unpack each."""
    words = words_table(index)
    return select(matches(words, expression)).where(words.c.no == number).scalar_subquery()


def may_be_rare(tx: Connection, asked: Mapping[WordIndex, str], rare: int, last_page: int) -> bool:
    """GIN lists all rows that it finds before there is a first one: to count those of a frequent word takes 15 ms."""
    return max(expect_rows(tx, list(asked.items()))) <= max(rare, SHARE_OF_UNKNOWN * last_page)


def expect_rows(tx: Connection, asked: Sequence[tuple[WordIndex, str]]) -> list[int]:
    """How many rows PostgreSQL expects of each, which takes a millisecond."""
    each = [f"SELECT no FROM {way.value} WHERE words @@ %s::tsquery" for way, _ in asked]  # noqa: S608 our own names
    explain = f"EXPLAIN (FORMAT JSON) {' UNION ALL '.join(each)}"
    [[[plan]]] = tx.exec_driver_sql(explain, tuple(expression for _, expression in asked)).all()
    return [part["Plan Rows"] for part in plan["Plan"].get("Plans", [plan["Plan"]])[-len(asked) :]]


def find_frequent(
    tx: Connection, questions: Sequence[Question], among: Sequence[Among | None], last_page: int
) -> list[bool]:
    """Of each whether the index would find more rows than are asked about."""
    if all(some is None or some.size <= FEWEST for some in among):
        return [False] * len(questions)
    expected = expect_rows(tx, [(question.way, loose(question)) for question in questions])
    unknown = SHARE_OF_UNKNOWN * last_page
    return [some is not None and rows > max(some.size, unknown) for rows, some in zip(expected, among, strict=True)]


def pack_list(numbers: Sequence[int]) -> str:
    """As PostgreSQL writes it: to hand it over number by number takes psycopg ten times as long."""
    return f"{{{','.join(map(str, numbers))}}}"


def unpack_list(packed: Expression) -> Expression:
    return cast(packed, ARRAY(BigInteger))


def select_listed(packed: Expression) -> Query:
    return select(func.unnest(unpack_list(packed)).label("no"))


def is_listed(index: WordIndex, packed: str) -> ColumnElement[bool]:
    return number_of(index) == func.any(unpack_list(literal(packed)))


def is_within(index: WordIndex, within: Within) -> ColumnElement[bool]:
    """Asked of each row that the index found. A list is looked at once, and not from its beginning for each row."""
    number = number_of(index)
    return is_one_of(number, within.numbers) if within.listed is None else number.in_(within.numbers).is_(True)


def is_one_of(number: ColumnElement[int], numbers: Query) -> ColumnElement[bool]:
    """A join could be turned round; a condition that is asked whether it is true is none."""
    held = numbers.subquery("held_numbers")
    own = select(held.c.no).where(held.c.no == number).limit(1).correlate_except(held)
    return own.scalar_subquery().is_not(None)


def pack(number: ColumnElement[int]) -> Any:
    """Each of them once, in one value, as `pack_list` writes it: libraries share pages."""
    return func.coalesce(cast(func.array_agg(number.distinct()).filter(number.is_not(None)), Text), "{}")


def parameters_of(question: Question) -> dict[str, object]:
    return {
        "loose": loose(question),
        "strict": strict(question),
        "to_weigh": spell_to_weigh(question.way, question.wanted, question.fields),
        "newest": NEWEST[question.way],
        "sample": SAMPLE[question.way],
        "least": LEAST_FREQUENT[question.way],
    }


def is_looked_up(question: Question, among: Among) -> bool:
    return question.is_frequent or among.size <= FEWEST


def is_exact(question: Question) -> bool:
    return loose(question) == strict(question)


def strict(question: Question) -> str:
    return spell(question.way, question.wanted, question.unwanted, question.fields)


def loose(question: Question) -> str:
    return spell_loosely(question.way, question.wanted, question.unwanted)


def rank(asked: Asked, hold: Hold, within: Within | None, limit: int) -> Query:
    """The newest of what the question finds and `hold` lets through, and how well each fits.

    How densely the words stand there, for the length of the text (1: divided by its logarithm). Only what is cut to
    the limit is ranked: the words of each have to be unpacked for it.
    """
    newest = select_newest(asked, hold, within).limit(limit).subquery("newest")
    if not asked.weighs:
        return select(newest.c.id, literal(1.0).label("score"))
    words, fields = words_table(asked.way).alias("ranked"), asked.way.fields
    by_label = {field.label: field.weight / SCALE for field in fields}
    weights = cast([by_label.get(label, 0.0) for label in "DCBA"], ARRAY(REAL))
    wanted = query_of(asked.parameter("to_weigh"))
    score = (SCALE * func.ts_rank_cd(weights, words.c.words, wanted, 1)).label("score")
    return select(newest.c.id, score).join(words, words.c.no == newest.c.number)


def select_newest(asked: Asked, hold: Hold, within: Within | None) -> Query:
    """Newest first, one after the other, so that a limit ends the work.

    For places and fields each vector has to be unpacked: only of what may be shown, and no more than the limit needs.
    To see that a library holds a page takes a tenth of that, and to join its items a third.
    """
    rows = list_found(asked, within)
    if asked.is_exact:
        return join_items(rows, hold)
    if hold.own is None:
        held = join_items(rows, hold).offset(0).subquery("held")
        return select(held).where(has_all(asked, held.c.number))
    found = rows.subquery("listed")
    if within is None:
        found = select(found.c.no).where(is_one_of(found.c.no, hold.own)).offset(0).subquery("own")
    return join_items(select(found.c.no).where(has_all(asked, found.c.no)).offset(0), hold)


def join_items(rows: Query | UnionQuery, hold: Hold) -> Query:
    """`LATERAL` and the offset hold PostgreSQL to the order: it looks each row up before it takes the next. A join it
    could turn round, and an order asked for at the end would mean to find everything first."""
    found = rows.subquery("found")
    this = select(literal_column("found.no", BigInteger).label("no")).subquery("this")
    item = hold.join(this, this.c.no).offset(0).lateral("item")
    return select(item.c.id, found.c.no.label("number")).select_from(found.join(item, true()))


def has_all(asked: Asked, number: ColumnElement[int]) -> ColumnElement[bool]:
    """Not by a join, which could be turned round: then others than the newest would be found."""
    words = words_table(asked.way).alias("checked")
    is_found = select(matches(words, asked.parameter("strict"))).where(words.c.no == number)
    return is_found.correlate_except(words).scalar_subquery()


def list_found(asked: Asked, within: Within | None) -> Query | UnionQuery:
    if within is None:
        return list_newest(asked)
    return look_up(asked, within) if asked.is_looked_up else list_by_index(asked).where(is_within(asked.way, within))


def look_up(asked: Asked, within: Within) -> Query:
    """Number by number, the newest first: a frequent word is soon found often enough."""
    numbers = within.numbers.order_by(literal_column("no").desc()).offset(0).subquery("among")
    words = words_table(asked.way)
    is_found = matches(words, asked.parameter("loose"))
    row = select(words.c.no).where(words.c.no == numbers.c.no, is_found).offset(0).lateral("row")
    return select(row.c.no).select_from(numbers.join(row, true()))


def list_newest(asked: Asked) -> UnionQuery:
    """First what is among the newest rows, if the question is frequent there; only who needs more goes on to what the
    index finds, and sorts that."""
    words = words_table(asked.way)
    edge = select(select_edge(asked).cte(f"edge_{asked.at}")).scalar_subquery()
    newest = select(words).where(words.c.no > edge).order_by(words.c.no.desc()).offset(0).subquery("first")
    first = select(newest.c.no).where(matches(newest, asked.parameter("loose")))
    return union_all(first, list_by_index(asked).where(words.c.no + 0 <= edge))


def select_edge(asked: Asked) -> Query:
    """The number after which the newest rows begin; the last one, where a sample says that it is not worth it."""
    words = words_table(asked.way)
    last = select(func.max(words.c.no)).scalar_subquery()
    rows = select(words).order_by(words.c.no.desc()).limit(cast(asked.parameter("sample"), BigInteger))
    sample = rows.subquery("sample")
    wanted = asked.parameter("loose" if asked.is_exact else "strict")
    count = select(func.count()).select_from(sample).where(matches(sample, wanted)).scalar_subquery()
    is_frequent = count >= cast(asked.parameter("least"), BigInteger)
    return select(last - case((is_frequent, cast(asked.parameter("newest"), BigInteger)), else_=0).label("no"))


def list_by_index(asked: Asked) -> Query:
    """Plus nothing: else it would walk back from the newest number, and unpack every vector on its way."""
    return select_numbers(asked.way, asked.parameter("loose")).order_by((number_of(asked.way) + 0).desc())
