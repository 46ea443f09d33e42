"""Asking the search index: which items of one library a query finds, the best first.

Several ways lead to an item: what its library says of it, its page's card, its article, and for several words some
said by the library and the rest by the page. Each is asked by itself, and the scores are added. Each is asked for the
newest few hundred: a word that stands in half of all articles says little about any of them, and ranking them all
would take seconds. Who looks for something has rarer words, and then everything found is ranked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, func, literal_column, select, union_all

from kept.content.search.query import Term
from kept.storage.database.statements import Query
from kept.storage.items import in_order, is_shown_once, list_once, with_states
from kept.storage.search.fields import Question, WordIndex
from kept.storage.search.scope import Numbered, Scope, find_few, list_numbers
from kept.storage.tables import items, search_items, search_media

# To rank an article PostgreSQL unpacks all its words, which takes about 0.1 ms.
MOST_RANKED: Final = 200
# In how many ways words may be divided between a library and its pages; in life it is one or two.
MOST_DIVISIONS: Final = 8
# Where a library's own words stand. Those of its URL are the page's rather.
OWN_FIELDS: Final = ("title", "note")
PAGE_WAYS: Final = (WordIndex.CARD, WordIndex.PAGE)


class Hit(NamedTuple):
    item_id: UUID
    score: float


def find_items(scope: Scope) -> list[UUID]:
    """Those that have all the wanted words and none of the unwanted, the best first. For a query with wanted words."""
    if scope.port.PREPARE is not None:
        scope.tx.execute(scope.port.PREPARE)
    few = find_few(scope)
    query, terms = scope.query, scope.query.wanted if len(scope.query.wanted) > 1 else ()
    whole = [Question(way, query.wanted, query.unwanted) for way in WordIndex]
    parts = [Question(WordIndex.ITEM, [term], (), OWN_FIELDS) for term in terms]
    answers = ask(scope, [*whole, *parts], few)
    scores: dict[UUID, float] = defaultdict(float)
    for hit in chain(*answers[: len(whole)]):
        scores[hit.item_id] += hit.score
    said = dict(zip(terms, answers[len(whole) :], strict=True))
    for item_id, score in (find_divided(scope, said, few)).items():
        scores[item_id] = max(scores[item_id], score)
    if query.unwanted:
        for item_id in list_unwanted(scope, list(scores)):
            del scores[item_id]
    # Of equals the newer one; an item's id tells its time.
    found = sorted(scores, key=lambda item_id: (scores[item_id], item_id), reverse=True)
    return found if len(scope.wanted.library_ids) == 1 else keep_once(scope, found)


def keep_once(scope: Scope, item_ids: Sequence[UUID]) -> list[UUID]:
    """Of a page that several libraries hold, the item that fits best."""
    query = select(items.c.id, items.c.media_id).where(items.c.id.in_(item_ids))
    media_ids = {row.id: row.media_id for row in scope.tx.execute(query)}
    kept: dict[UUID, UUID] = {}
    for item_id in item_ids:
        kept.setdefault(media_ids[item_id], item_id)
    return list(kept.values())


def sort_by_date(scope: Scope, item_ids: Sequence[UUID]) -> list[UUID]:
    return list(scope.tx.execute(in_order(select(items.c.id).where(items.c.id.in_(item_ids)), scope.wanted)).scalars())


def list_filtered(scope: Scope, *, offset: int, limit: int) -> list[UUID]:
    """For a query without wanted words: newest first, or as the list wants it."""
    wanted, query = scope.wanted, select_filtered(scope)
    if len(wanted.library_ids) == 1:
        return list(scope.tx.execute(in_order(query, wanted).offset(offset).limit(limit)).scalars())
    once = is_shown_once(wanted, tagged=scope.query.tags, untagged=scope.query.unwanted_tags)
    return list_once(scope.tx, wanted, query, once, limit=offset + limit)[offset:]


def select_filtered(scope: Scope) -> Query:
    query = with_states(select(items.c.id).select_from(items), scope.user_id).where(*scope.conditions)
    for term in scope.query.unwanted:
        query = query.where(*without(scope, term))
    return query


def count_filtered(scope: Scope, *, most: int) -> int:
    """How many `list_filtered` would list; it stops counting at `most`."""
    query = select_filtered(scope)
    if len(scope.wanted.library_ids) > 1:
        query = query.where(is_shown_once(scope.wanted, tagged=scope.query.tags, untagged=scope.query.unwanted_tags))
    return int(scope.tx.execute(select(func.count()).select_from(query.limit(most).subquery())).scalar_one())


def without(scope: Scope, term: Term) -> Iterator[ColumnElement[bool]]:
    for way in WordIndex:
        yield ~is_of(way, scope.port.select_numbers(way, scope.port.spell(way, [term], [])))


# --- one way --------------------------------------------------------------------------------------------------


def ask(scope: Scope, questions: Sequence[Question], few: Sequence[Numbered] | None) -> list[list[Hit]]:
    """The newest items that each leads to: of a few, or of all in the scope. All at once: each trip takes its time."""
    asked = [
        select(literal_column(str(at)).label("question"), *rank(scope, question, few).subquery(f"answer_{at}").c)
        for at, question in enumerate(questions)
    ]
    answers: list[list[Hit]] = [[] for _ in questions]
    for at, item_id, score in scope.tx.execute(union_all(*asked)):
        answers[int(at)].append(Hit(item_id, score))
    return answers


def rank(scope: Scope, question: Question, few: Sequence[Numbered] | None) -> Query:
    among = None if few is None else numbers_in(question.way, few)
    # To weigh a phrase, FTS5 counts the articles that have it by going through all of them: 70 ms for "of the".
    weighs = question.way is not WordIndex.PAGE or not any(term.is_phrase for term in question.wanted)
    hold = partial(select_held, scope, question.way)
    ranked: Query = scope.port.rank(question, hold, among, MOST_RANKED, weighs=weighs)
    return ranked


def numbers_in(way: WordIndex, few: Sequence[Numbered]) -> list[int]:
    numbers = (numbered.item_no if way is WordIndex.ITEM else numbered.media_no for numbered in few)
    return [number for number in numbers if number is not None]


def select_held(scope: Scope, way: WordIndex, rows: FromClause, number: ColumnElement[int]) -> Query:
    """The items of the scope, joined to rows of the index, which come first."""
    query = select(items.c.id).select_from(rows)
    if way is WordIndex.ITEM:
        query = query.join(search_items, search_items.c.no == number).join(items, items.c.id == search_items.c.item_id)
    else:
        query = query.join(search_media, search_media.c.no == number)
        query = query.join(items, items.c.media_id == search_media.c.media_id)
    return with_states(query, scope.user_id).where(*scope.conditions)


# --- some words here, some there ------------------------------------------------------------------------------


def find_divided(
    scope: Scope, said: Mapping[Term, Sequence[Hit]], few: Sequence[Numbered] | None
) -> Mapping[UUID, float]:
    """Items of which the library says some of the words, and the page the others."""
    scores: dict[UUID, float] = {}
    for own, partly in group_by_words(said)[:MOST_DIVISIONS]:
        there = ask_page(scope, leave_out(said, own), number(scope, partly))
        scores |= {hit.item_id: hit.score for hit in add_up(partly, there)}
    for term, hits in said.items():
        if len(hits) == MOST_RANKED:  # said of so many that those whose pages say the rest may be older ones
            there = ask_page(scope, leave_out(said, [term]), few)
            question = Question(WordIndex.ITEM, [term], (), OWN_FIELDS)
            [again] = ask(scope, [question], number(scope, there))
            scores |= {hit.item_id: hit.score for hit in add_up(again, there)}
    return scores


def group_by_words(said: Mapping[Term, Sequence[Hit]]) -> list[tuple[tuple[Term, ...], list[Hit]]]:
    """Items by which of the words their library says, where it is not all of them; the largest groups first."""
    words: dict[UUID, tuple[Term, ...]] = defaultdict(tuple)
    scores: dict[UUID, float] = defaultdict(float)
    for term, hits in said.items():
        for hit in hits:
            words[hit.item_id] += (term,)
            scores[hit.item_id] += hit.score
    groups: dict[tuple[Term, ...], list[Hit]] = defaultdict(list)
    for item_id, own in words.items():
        if len(own) < len(said):
            groups[own].append(Hit(item_id, scores[item_id]))
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def leave_out(terms: Iterable[Term], own: Sequence[Term]) -> list[Term]:
    return [term for term in terms if term not in own]


def ask_page(scope: Scope, terms: Sequence[Term], few: Sequence[Numbered] | None) -> list[Hit]:
    return list(chain(*ask(scope, [Question(way, terms) for way in PAGE_WAYS], few)))


def add_up(said: Iterable[Hit], there: Iterable[Hit]) -> list[Hit]:
    """Items that are in both."""
    scores = {hit.item_id: hit.score for hit in said}
    return [Hit(hit.item_id, scores[hit.item_id] + hit.score) for hit in there if hit.item_id in scores]


def number(scope: Scope, hits: Iterable[Hit]) -> list[Numbered]:
    return list_numbers(scope, items.c.id.in_({hit.item_id for hit in hits}))


# --- what is left out -----------------------------------------------------------------------------------------


def list_unwanted(scope: Scope, item_ids: Sequence[UUID]) -> set[UUID]:
    """Of these, those that say an unwanted word anywhere."""
    these = items.c.id.in_(item_ids)
    numbered = list_numbers(scope, these)
    found: set[UUID] = set()
    for way in WordIndex:
        unwanted = scope.port.select_numbers(way, scope.port.spell_any(way, scope.query.unwanted))
        numbers = unwanted.where(scope.port.is_among(way, numbers_in(way, numbered)))
        found.update(scope.tx.execute(select(items.c.id).where(these, is_of(way, numbers))).scalars())
    return found


def is_of(way: WordIndex, numbers: Query) -> ColumnElement[bool]:
    if way is WordIndex.ITEM:
        return items.c.id.in_(select(search_items.c.item_id).where(search_items.c.no.in_(numbers)))
    return items.c.media_id.in_(select(search_media.c.media_id).where(search_media.c.no.in_(numbers)))
