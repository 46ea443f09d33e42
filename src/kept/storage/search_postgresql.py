"""The search index in PostgreSQL: vectors of our own tokens, under GIN."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Select, bindparam, cast, column, func, literal, select, table, text
from sqlalchemy.dialects.postgresql import ARRAY, REAL, TSQUERY, TSVECTOR, insert

from kept.content.search_query import Term
from kept.storage.search_fields import WordIndex, is_open

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


def values_of(index: WordIndex, no: int, words: Sequence[str]) -> dict[str, Any]:
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


# To compile a query takes longer than to answer it; and how to answer it best depends on how frequent its words are.
PREPARE: Final = text("SELECT set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)")
PHRASE: Final = " <-> "


# --- asking ---------------------------------------------------------------------------------------------------


def spell(index: WordIndex, wanted: Sequence[Term], unwanted: Sequence[Term], fields: Sequence[str] = ()) -> str:
    """In the language of `tsquery`."""
    labels = "".join(field.label for field in index.fields if field.name in fields)
    expression = " & ".join(spell_term(index, term, labels) for term in wanted)
    return expression + "".join(f" & !({spell_term(index, term, '')})" for term in unwanted)


def spell_term(index: WordIndex, term: Term, labels: str) -> str:
    *first, last = term.tokens
    whole = PHRASE.join(f"'{token}'{':' + labels if labels else ''}" for token in (*first, last))
    if not is_open(index, term):
        return f"({whole})"
    begun = [*(f"'{token}'{':' + labels if labels else ''}" for token in first), f"'{last}':*{labels}"]
    return f"(({whole}) | ({PHRASE.join(begun)}))"


def spell_any(index: WordIndex, terms: Sequence[Term]) -> str:
    return " | ".join(spell_term(index, term, "") for term in terms)


def spell_token(token: str) -> str:
    return f"'{token}'"


def number_of(index: WordIndex) -> ColumnElement[int]:
    return words_table(index).c.no  # type: ignore[no-any-return]


def query_of(expression: str) -> ColumnElement[Any]:
    return cast(literal(expression), TSQUERY)


def matches(index: WordIndex, expression: str) -> ColumnElement[bool]:
    return words_table(index).c.words.op("@@", is_comparison=True)(query_of(expression))  # type: ignore[no-any-return]


def select_numbers(index: WordIndex, expression: str) -> Select[Any]:
    return select(number_of(index)).where(matches(index, expression))


def is_among(index: WordIndex, numbers: Sequence[int]) -> ColumnElement[bool]:
    return number_of(index) == func.any(cast(list(numbers), ARRAY(BigInteger)))


def rank(index: WordIndex, expression: str, held: Select[Any], limit: int, *, weighs: bool) -> Select[Any]:
    """The newest rows of `held`, which is joined to the index, and how well each fits.

    How densely the words stand there, for the length of the text (1: divided by its logarithm). Only what is cut to
    the limit is ranked: the words of each have to be unpacked for it.
    """
    number = number_of(index)
    cut = held.add_columns(number.label("number")).where(matches(index, expression))
    # For frequent words the planner walks back from the newest number, and soon has enough. It takes a phrase for as
    # frequent as its words, and would walk to the end: plus nothing, and it cannot.
    cut = cut.order_by((number + 0 if PHRASE in expression else number).desc())
    newest, words = cut.limit(limit).subquery("newest"), words_table(index).alias("ranked")
    if not weighs:
        return select(next(iter(newest.c)), literal(1.0).label("score"))
    by_label = {field.label: field.weight / SCALE for field in index.fields}
    weights = cast([by_label.get(label, 0.0) for label in "DCBA"], ARRAY(REAL))
    score = (SCALE * func.ts_rank_cd(weights, words.c.words, query_of(expression), 1)).label("score")
    return select(next(iter(newest.c)), score).join(words, words.c.no == newest.c.number)
