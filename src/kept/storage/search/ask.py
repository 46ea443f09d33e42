"""Several questions to the index in one statement: the newest items that each leads to, and how well each fits.

To put such a statement together takes SQLAlchemy some milliseconds. What the questions say comes as parameters, so that
all searches of one kind share a statement, if nothing but their library narrows them, or what has their tags is listed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    String,
    Uuid,
    and_,
    bindparam,
    literal_column,
    select,
    union_all,
)

from kept.domain.item import ItemFilter
from kept.storage.database.dialects import Parameter, Query, UnionQuery
from kept.storage.highlights import is_own
from kept.storage.items import conditions, is_in, with_states
from kept.storage.search.fields import Among, Asked, Extent, Hold, Question, Within, WordIndex
from kept.storage.search.scope import LIBRARY, Numbers, Scope
from kept.storage.tables import highlights, items, library_numbers, search_highlights, search_items, search_media

# An id, or the parameter that stands for it.
Value: TypeAlias = Any


class Hit(NamedTuple):
    item_id: UUID
    score: float


class View(NamedTuple):
    """Which items of which libraries a person may find; as values, or as parameters."""

    user_id: Value
    library_ids: Sequence[Value]
    conditions: Sequence[ColumnElement[bool]]


USER: Final[Value] = bindparam("user_id", type_=Uuid())
PLAIN_VIEW: Final = View(USER, (LIBRARY,), conditions(ItemFilter((LIBRARY,))))
# Whose numbers they are, in the names of parameters.
OWNERS: Final = {
    WordIndex.ITEM: "item",
    WordIndex.CARD: "media",
    WordIndex.PAGE: "media",
    WordIndex.HIGHLIGHT: "highlight",
}


def ask(scope: Scope, questions: Sequence[Question], few: Numbers | None, limit: int) -> list[list[Hit]]:
    """Of a few, or of all in the scope. All at once: each trip takes its time."""
    among = {question.way: choose_among(scope, question.way, few) for question in questions}
    asked = tuple(describe(scope.port, at, said, among[said.way]) for at, said in enumerate(questions))
    values = dict(list_values(scope, questions, among))
    if is_plain(scope, asked):
        values |= {"user_id": scope.user_id, "library_id": scope.wanted.library_ids[0]}
    answers: list[list[Hit]] = [[] for _ in questions]
    for at, item_id, score in scope.tx.execute(find_statement(scope, asked, limit), values):
        answers[int(at)].append(Hit(item_id, score))
    return answers


def list_values(
    scope: Scope, questions: Sequence[Question], among: Mapping[WordIndex, Among | None]
) -> Iterator[tuple[str, object]]:
    for at, question in enumerate(questions):
        yield from ((f"{name}_{at}", value) for name, value in scope.port.parameters_of(question).items())
    for way, some in among.items():
        if some is not None:
            yield from ((f"first_{OWNERS[way]}", some.first), (f"last_{OWNERS[way]}", some.last))
        if some is not None and some.listed is not None:
            yield f"listed_{OWNERS[way]}", some.listed


def describe(port: ModuleType, at: int, question: Question, among: Among | None) -> Asked:
    extent = Extent.ALL if among is None else Extent.LIBRARY if among.listed is None else Extent.LIST
    is_looked_up = among is not None and port.is_looked_up(question, among)
    return Asked(at, question.way, extent, question.weighs, question.is_frequent, is_looked_up, port.is_exact(question))


def choose_among(scope: Scope, way: WordIndex, few: Numbers | None) -> Among | None:
    """The numbers that are asked about; None for all."""
    if way is WordIndex.HIGHLIGHT:
        return scope.marked
    if few is None:
        return None
    return few.items if way is WordIndex.ITEM else few.media


# --- the statement --------------------------------------------------------------------------------------------


def find_statement(scope: Scope, asked: tuple[Asked, ...], limit: int) -> UnionQuery:
    if is_plain(scope, asked):
        return make_plain_statement(scope.port, asked, limit)
    view = View(scope.user_id, scope.wanted.library_ids, scope.conditions)
    return make_statement(scope.port, view, asked, limit)


def is_plain(scope: Scope, asked: Iterable[Asked]) -> bool:
    """Whether the library, and the numbers that are asked about, are all that narrows the answer."""
    return scope.is_plain or (scope.is_by_tags and all(map(is_of_listed_items, asked)))


def is_of_listed_items(asked: Asked) -> bool:
    """Whose numbers were listed by all that narrows a search; those of highlights are a person's own."""
    return asked.extent is Extent.LIST and asked.way is not WordIndex.HIGHLIGHT


@lru_cache(maxsize=200)
def make_plain_statement(port: ModuleType, asked: tuple[Asked, ...], limit: int) -> UnionQuery:
    return make_statement(port, PLAIN_VIEW, asked, limit)


def make_statement(port: ModuleType, view: View, asked: Sequence[Asked], limit: int) -> UnionQuery:
    answers = []
    for one in asked:
        is_all_own = view is PLAIN_VIEW and one.way is not WordIndex.HIGHLIGHT
        hold = Hold(partial(select_held, view, one.way), select_own(view, one.way) if is_all_own else None)
        ranked = port.rank(one, hold, select_within(port, view, one), limit).subquery(f"answer_{one.at}")
        answers.append(select(literal_column(str(one.at)).label("question"), *ranked.c))
    return union_all(*answers)


def select_within(port: ModuleType, view: View, asked: Asked) -> Within | None:
    if asked.extent is Extent.ALL:
        return None
    owner = OWNERS[asked.way]
    first, last = bindparam(f"first_{owner}", type_=BigInteger), bindparam(f"last_{owner}", type_=BigInteger)
    if asked.extent is Extent.LIST:
        listed: Parameter = bindparam(f"listed_{owner}", type_=String)
        return Within(first, last, port.select_listed(listed), listed)
    own = select_own(view, asked.way)
    return Within(first, last, own if len(view.library_ids) == 1 else own.distinct())


def select_own(view: View, way: WordIndex) -> Query:
    column = library_numbers.c.item_no if way is WordIndex.ITEM else library_numbers.c.media_no
    return select(column.label("no")).where(is_in(library_numbers.c.library_id, view.library_ids))


def select_held(view: View, way: WordIndex, rows: FromClause, number: ColumnElement[int]) -> Query:
    """The items of the view, joined to rows of the index, which come first."""
    query = select(items.c.id).select_from(rows)
    if way is WordIndex.ITEM:
        query = query.join(search_items, search_items.c.no == number).join(items, items.c.id == search_items.c.item_id)
    elif way is WordIndex.HIGHLIGHT:
        own = and_(highlights.c.id == search_highlights.c.highlight_id, is_own(view.user_id))
        query = query.join(search_highlights, search_highlights.c.no == number).join(highlights, own)
        query = query.join(items, items.c.media_id == highlights.c.media_id)
    else:
        query = query.join(search_media, search_media.c.no == number)
        query = query.join(items, items.c.media_id == search_media.c.media_id)
    return with_states(query, view.user_id).where(*view.conditions)
