"""Asking the search index: which items of one library a query finds, the best first.

Several ways lead to an item: what its library says of it, its page's card, its article, what the person who asks
marked in it, and for several words some said by the library or the person and the rest by the page. Each is asked by
itself, and the scores are added. Each is asked for the newest few hundred: a word that stands in half of all articles
says little about any of them, and ranking them all would take seconds. Who looks for something has rarer words, and
then everything found is ranked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, func, select

from kept.content.search.query import Term
from kept.storage.database.dialects import Query
from kept.storage.highlights import is_own
from kept.storage.items import in_order, is_shown_once, list_once, with_states
from kept.storage.search.ask import Hit, ask, choose_among
from kept.storage.search.fields import Question, WordIndex
from kept.storage.search.scope import Numbers, Scope, find_few, find_last_page, list_marked, list_numbers
from kept.storage.tables import highlights, items, search_highlights, search_items, search_media

# To rank an article PostgreSQL unpacks all its words, which takes about 0.1 ms.
MOST_RANKED: Final = 200
# In how many ways words may be divided between a library and its pages; in life it is one or two.
MOST_DIVISIONS: Final = 8
# Where a library's own words stand. Those of its URL are the page's rather.
OWN_FIELDS: Final = ("title", "note")
# Of highlights more are looked at where nothing else is: they are short, and many may be of one page.
MOST_HIGHLIGHTS: Final = 2_000
PAGE_WAYS: Final = (WordIndex.CARD, WordIndex.PAGE)


def find_items(scope: Scope) -> list[UUID]:
    """Those that have all the wanted words and none of the unwanted, the best first. For a query with wanted words."""
    if scope.port.PREPARE is not None:
        scope.tx.execute(scope.port.PREPARE)
    scope = replace(scope, marked=list_marked(scope), last_page=find_last_page(scope.tx))
    scores = find_in_highlights(scope) if scope.query.in_highlights else find_anywhere(scope)
    if scope.query.unwanted:
        for item_id in list_unwanted(scope, list(scores)):
            del scores[item_id]
    # Of equals the newer one; an item's id tells its time.
    found = sorted(scores, key=lambda item_id: (scores[item_id], item_id), reverse=True)
    return found if len(scope.wanted.library_ids) == 1 else keep_once(scope, found)


def find_in_highlights(scope: Scope) -> dict[UUID, float]:
    """Items of which one highlight has all the words."""
    [hits] = ask(scope, [Question(WordIndex.HIGHLIGHT, scope.query.wanted)], None, MOST_HIGHLIGHTS)
    return best_of_each(hits)


def find_anywhere(scope: Scope) -> dict[UUID, float]:
    few = find_few(scope)
    query, terms = scope.query, scope.query.wanted if len(scope.query.wanted) > 1 else ()
    whole = [Question(way, query.wanted, query.unwanted) for way in list_ways(scope)]
    parts = [Question(WordIndex.ITEM, [term], (), OWN_FIELDS) for term in terms]
    marked = [Question(WordIndex.HIGHLIGHT, [term]) for term in terms if WordIndex.HIGHLIGHT in list_ways(scope)]
    answers = iter(ask(scope, mark_frequent(scope, [*whole, *parts, *marked], few), few, MOST_RANKED))
    scores: dict[UUID, float] = defaultdict(float)
    for answer in islice(answers, len(whole)):
        for item_id, score in best_of_each(answer).items():
            scores[item_id] += score
    said = dict(zip(terms, islice(answers, len(parts)), strict=True))
    for term, hits in zip(terms, answers, strict=False):
        said[term] = [Hit(*found) for found in best_of_each([*said[term], *hits]).items()]
    for item_id, score in chain(find_said(said).items(), find_divided(scope, said, few).items()):
        scores[item_id] = max(scores[item_id], score)
    return scores


def mark_frequent(scope: Scope, questions: Sequence[Question], few: Numbers | None) -> list[Question]:
    among = [choose_among(scope, question.way, few) for question in questions]
    frequent: Sequence[bool] = scope.port.find_frequent(scope.tx, questions, among, scope.last_page)
    return [asked._replace(is_frequent=is_frequent) for asked, is_frequent in zip(questions, frequent, strict=True)]


def find_said(said: Mapping[Term, Sequence[Hit]]) -> dict[UUID, float]:
    """Items of which the library and the person's highlights say all of the words, some here, some there."""
    each = [best_of_each(hits) for hits in said.values()]
    found = set.intersection(*map(set, each)) if each else set()
    return {item_id: sum(scores[item_id] for scores in each) for item_id in found}


def best_of_each(hits: Iterable[Hit]) -> dict[UUID, float]:
    """A page may have many highlights with the same words: the best one counts."""
    scores: dict[UUID, float] = {}
    for hit in hits:
        scores[hit.item_id] = max(scores.get(hit.item_id, hit.score), hit.score)
    return scores


def list_ways(scope: Scope) -> list[WordIndex]:
    """Who has no highlights is not led by them."""
    has_marked = scope.marked is None or scope.marked.size > 0
    return [way for way in WordIndex if way is not WordIndex.HIGHLIGHT or has_marked]


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
        yield ~is_of(scope, way, scope.port.select_numbers(way, scope.port.spell(way, [term], [])))


# --- some words here, some there ------------------------------------------------------------------------------


def find_divided(scope: Scope, said: Mapping[Term, Sequence[Hit]], few: Numbers | None) -> Mapping[UUID, float]:
    """Items of which the library says some of the words, and the page the others."""
    scores: dict[UUID, float] = {}
    for own, partly in group_by_words(said)[:MOST_DIVISIONS]:
        there = ask_page(scope, leave_out(said, own), number(scope, partly))
        scores |= {hit.item_id: hit.score for hit in add_up(partly, there)}
    for term, hits in said.items():
        if len(hits) >= MOST_RANKED:  # said of so many that those whose pages say the rest may be older ones
            there = ask_page(scope, leave_out(said, [term]), few)
            question = Question(WordIndex.ITEM, [term], (), OWN_FIELDS)
            [again] = ask(scope, [question], number(scope, there), MOST_RANKED)
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


def ask_page(scope: Scope, terms: Sequence[Term], few: Numbers | None) -> list[Hit]:
    return list(chain(*ask(scope, [Question(way, terms) for way in PAGE_WAYS], few, MOST_RANKED)))


def add_up(said: Iterable[Hit], there: Iterable[Hit]) -> list[Hit]:
    """Items that are in both."""
    scores = {hit.item_id: hit.score for hit in said}
    return [Hit(hit.item_id, scores[hit.item_id] + hit.score) for hit in there if hit.item_id in scores]


def number(scope: Scope, hits: Iterable[Hit]) -> Numbers:
    return list_numbers(scope, items.c.id.in_({hit.item_id for hit in hits}))


# --- what is left out -----------------------------------------------------------------------------------------


def list_unwanted(scope: Scope, item_ids: Sequence[UUID]) -> set[UUID]:
    """Of these, those that say an unwanted word anywhere."""
    these = items.c.id.in_(item_ids)
    numbered = list_numbers(scope, these)
    found: set[UUID] = set()
    for way in list_ways(scope):
        numbers = scope.port.select_numbers(way, scope.port.spell_any(way, scope.query.unwanted))
        among = choose_among(scope, way, numbered)
        if among is not None and among.listed is not None:
            numbers = numbers.where(scope.port.is_listed(way, among.listed))
        found.update(scope.tx.execute(select(items.c.id).where(these, is_of(scope, way, numbers))).scalars())
    return found


def is_of(scope: Scope, way: WordIndex, numbers: Query) -> ColumnElement[bool]:
    if way is WordIndex.ITEM:
        return items.c.id.in_(select(search_items.c.item_id).where(search_items.c.no.in_(numbers)))
    if way is WordIndex.HIGHLIGHT:
        marked = select(search_highlights.c.highlight_id).where(search_highlights.c.no.in_(numbers))
        own = select(highlights.c.media_id).where(is_own(scope.user_id), highlights.c.id.in_(marked))
        return items.c.media_id.in_(own)
    return items.c.media_id.in_(select(search_media.c.media_id).where(search_media.c.no.in_(numbers)))
