"""The search index in PostgreSQL: vectors of our own tokens, under GIN."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

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
from kept.storage.search.dialect import WORDS, Conditions, IndexQuery, SearchDialect, Shape, ends_open, select_items
from kept.storage.search.fields import WordIndex

TABLES: Final = {index: table(index.value, column("no", BigInteger), column("words", TSVECTOR)) for index in WordIndex}
# PostgreSQL's limits: of a vector (1 MB, some kept for what it adds itself), of a word's places, of a place.
MOST_BYTES: Final = 900_000
MOST_PLACES: Final = 255
LAST_PLACE: Final = 16_383
# Between two fields, so that no phrase reaches from one into the next.
GAP: Final = 2
SCALE: Final = 8.0  # its weights go up to 1
# PostgreSQL takes the unpacking of a vector for a comparison; else it goes through whole tables (docs/decisions/0028).
PREPARE: Final = select(func.set_config("enable_seqscan", "off", True))
# So many of the newest rows tell how frequent a query is. The vectors of articles are long: each takes 10 to 20 µs.
SAMPLE: Final = {WordIndex.ITEM: 400, WordIndex.CARD: 400, WordIndex.PAGE: 100, WordIndex.HIGHLIGHT: 400}
# Through so many of the newest rows an index is walked without GIN, where a query is so frequent there that they have
# nearly as many matches as are ranked.
NEWEST: Final = {WordIndex.ITEM: 8_000, WordIndex.CARD: 8_000, WordIndex.PAGE: 1_000, WordIndex.HIGHLIGHT: 8_000}
FREQUENT: Final = {index: 180 / newest for index, newest in NEWEST.items()}
# Candidates are looked up one by one where so large a share of all rows match: GIN lists all of them before there is
# a first one.
FREQUENT_AMONG: Final = 0.03
STRICT: Final[Parameter] = bindparam("strict")


def put_statement(index: WordIndex) -> Any:
    put = insert(TABLES[index]).values(no=bindparam("no"), words=cast(bindparam("words"), TSVECTOR))
    return put.on_conflict_do_update(index_elements=["no"], set_={"words": put.excluded.words})


class PostgresqlSearch(SearchDialect):
    put: ClassVar = {index: put_statement(index) for index in WordIndex}

    def make_row(self, index: WordIndex, no: int, words: Sequence[str]) -> dict[str, object]:
        labels = [field.label for field in index.fields]
        return {"no": no, "words": spell_vector(list(zip(words, labels, strict=True)))}

    def prepare(self, tx: Connection) -> None:
        tx.execute(PREPARE)

    def spell(self, query: IndexQuery, *, loosely: bool = False) -> str:
        """In the language of `tsquery`. GIN knows no places and no fields: loosely, a phrase is its words."""
        labels = "".join(field.label for field in query.index.fields if field.name in query.fields and not loosely)
        then = " & " if loosely else " <-> "
        wanted = " & ".join(spell_term(query.index, term, labels, then) for term in query.wanted)
        unwanted = (term for term in query.unwanted if not loosely or len(term.tokens) == 1)
        return wanted + "".join(f" & !{spell_term(query.index, term)}" for term in unwanted)

    def select_matching(self, index: WordIndex, expression: str | Parameter, among: Query | None = None) -> Query:
        words = TABLES[index]
        found = select(words.c.no).where(matches(words, expression))
        return found if among is None else found.where(words.c.no.in_(among))

    def has_words(self, index: WordIndex, number: Expression, expression: str | Parameter) -> ColumnElement[bool]:
        """Look the row up, by no join, which could be turned round: to list all that match would unpack each."""
        words = TABLES[index].alias("checked")
        return select(matches(words, expression)).where(words.c.no == number).correlate_except(words).scalar_subquery()

    def pack(self, number: ColumnElement[int]) -> Any:
        return func.coalesce(cast(func.array_agg(number.distinct()).filter(number.is_not(None)), Text), "{}")

    def unpack(self, packed: Expression) -> Query:
        return select(func.unnest(cast(packed, ARRAY(BigInteger))).label("no"))

    def rank_candidates(self, shape: Shape, numbers: Query, conditions: Conditions) -> Query:
        """Looked up number by number, the newest first, where the query is frequent; else looked for in what GIN lists.
        A condition that is asked whether it is true is no join, which could be turned round."""
        words, is_frequent = TABLES[shape.index], find_frequent(shape, FREQUENT_AMONG)
        wanted = numbers.distinct().order_by(literal_column("no").desc()).offset(0).subquery("wanted")
        row = select(words.c.no).where(words.c.no == wanted.c.no, matches(words, WORDS)).offset(0).lateral("row")
        looked_up = select(row.c.no).select_from(wanted.join(row, true())).where(is_frequent)
        listed = list_by_index(shape).where(~is_frequent, words.c.no.in_(numbers).is_(True))
        return self.rank(shape, union_all(looked_up, listed), conditions)

    def walk_index(self, shape: Shape, conditions: Conditions) -> Query:
        """First the newest rows, where the query is frequent; only who needs more has GIN list what matches."""
        words, is_frequent = TABLES[shape.index], find_frequent(shape, FREQUENT[shape.index])
        edge = select(func.max(words.c.no) - case((is_frequent, NEWEST[shape.index]), else_=0)).scalar_subquery()
        newest = select(words).where(words.c.no > edge).order_by(words.c.no.desc()).offset(0).subquery("first")
        first = select(newest.c.no).where(matches(newest, WORDS))
        return self.rank(shape, union_all(first, list_by_index(shape).where(words.c.no + 0 <= edge)), conditions)

    def rank(self, shape: Shape, rows: UnionQuery, conditions: Conditions) -> Query:
        """How densely the words stand in a text, divided by the logarithm of its length (1).

        `LATERAL` and the offsets hold PostgreSQL to the order: it looks each row up before it takes the next. A join
        it could turn round, and an order asked for at the end would mean to find everything first. To see whether words
        follow each other a vector is unpacked: only of what may be found, and until the limit is reached.
        """
        found = rows.subquery("found")
        this = select(literal_column("found.no", BigInteger).label("no")).subquery("this")
        item = select_items(this, shape.index, this.c.no, conditions).offset(0).lateral("item")
        held = select(item.c.id, found.c.no).select_from(found.join(item, true()))
        if not shape.is_exact:
            loose = held.offset(0).subquery("loose")
            held = select(loose).where(self.has_words(shape.index, loose.c.no, STRICT))
        newest, words = held.limit(shape.limit).subquery("newest"), TABLES[shape.index].alias("ranked")
        if not shape.is_ranked:
            return select(newest.c.id, literal(1.0).label("score"))
        by_label = {field.label: field.weight / SCALE for field in shape.index.fields}
        weights = cast([by_label.get(label, 0.0) for label in "DCBA"], ARRAY(REAL))
        score = SCALE * func.ts_rank_cd(weights, words.c.words, query_of(STRICT), 1)
        looked_up = select(score).where(words.c.no == newest.c.no).correlate(newest).scalar_subquery()
        return select(newest.c.id, looked_up.label("score"))


def find_frequent(shape: Shape, share: float) -> ColumnElement[bool]:
    """Tell whether the query matches this share of the newest rows; a statement finds that out once."""
    words, size = TABLES[shape.index], SAMPLE[shape.index]
    sample = select(words).order_by(words.c.no.desc()).limit(size).subquery("sample")
    count = select(func.count().label("matches")).select_from(sample).where(matches(sample, WORDS)).cte("counted")
    return select(count.c.matches).scalar_subquery() >= share * size


def list_by_index(shape: Shape) -> Query:
    """List what matches, the newest first. The plus keeps it from unpacking every vector from the newest number on."""
    words = TABLES[shape.index]
    return select(words.c.no).where(matches(words, WORDS)).order_by((words.c.no + 0).desc())


def matches(words: Any, expression: str | Parameter) -> ColumnElement[bool]:
    return words.c.words.op("@@", is_comparison=True)(query_of(expression))  # type: ignore[no-any-return]


def query_of(expression: str | Parameter) -> Expression:
    return cast(literal(expression) if isinstance(expression, str) else expression, TSQUERY)


def spell_vector(fields: Sequence[tuple[str, str]]) -> str:
    """Write a vector as PostgreSQL reads it, without what is beyond its limits: an article must never fail for it."""
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


def spell_term(index: WordIndex, term: Term, labels: str = "", then: str = " <-> ") -> str:
    """The whole word counts once more than what merely begins like it."""
    *others, last = (f"'{token}':{labels}" if labels else f"'{token}'" for token in term.tokens)
    if ends_open(index, term):
        last = f"({last} | '{term.tokens[-1]}':*{labels})"
    return f"({then.join([*others, last])})"
