"""Finding: which items of some libraries a query finds, the best first. The stages of a search:

1. parse the query: `content/search/query.py`, called by `services/items/search.py`;
2. narrow: `scope.py` says which items may be found, and lists them as candidates where they are few;
3. match words: `match_anywhere` asks each index for the newest items that match, with a score (`ask`);
4. rank: `find_items` adds the scores, leaves unwanted items out and sorts;
5. page: `services/items/search.py` loads the cards of one page, and cuts passages.

Several indexes lead to an item: what its library says of it, its page's card, its article, what the person who asks
marked in it, and for several words some said by the library or the person and the rest by the page. Each is asked for
its newest few hundred: a word that stands in half of all articles says little about any of them, and ranking them all
would take seconds. Who looks for something has rarer words, and then everything that matches is ranked.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, String, bindparam, func, literal, select

from kept.content.search.query import Term
from kept.domain.item import ItemFilter
from kept.storage.database.dialects import Query
from kept.storage.highlights import is_own
from kept.storage.items import in_order, is_in, is_shown_once, list_once, narrow, with_states
from kept.storage.search.dialect import LIBRARIES, Conditions, IndexQuery, SearchDialect, Shape
from kept.storage.search.fields import WordIndex
from kept.storage.search.scope import CandidatesByIndex, SearchScope, find_candidates, list_numbers
from kept.storage.tables import highlights, items, library_numbers, search_highlights, search_items, search_media

# To rank an article PostgreSQL unpacks all its words, which takes about 0.1 ms.
MOST_RANKED: Final = 200
# In how many ways words may be divided between a library and its pages; in life it is one or two.
MOST_DIVISIONS: Final = 8
# Where a library's own words stand. Those of its URL are the page's rather.
OWN_FIELDS: Final = ("title", "note")
# Of highlights more are looked at where nothing else is: they are short, and many may be of one page.
MOST_HIGHLIGHTS: Final = 2_000
Scores = dict[UUID, float]
"""By the ids of items."""


def find_items(scope: SearchScope) -> list[UUID]:
    """Return the items that have all wanted words and no unwanted one, the best first; some word must be wanted."""
    scope.dialect.prepare(scope.tx)
    candidates = find_candidates(scope)
    if scope.query.in_highlights:
        scores = ask(scope, candidates, IndexQuery(WordIndex.HIGHLIGHT, scope.query.wanted), limit=MOST_HIGHLIGHTS)
    else:
        scores = match_anywhere(scope, candidates)
    found = leave_out_unwanted(scope, scores) if scope.query.unwanted else list(scores)
    # Of equals the newer one; an item's id tells its time.
    found.sort(key=lambda item_id: (scores[item_id], item_id), reverse=True)
    return found if len(scope.wanted.library_ids) == 1 else keep_once(scope, found)


# --- matching words -------------------------------------------------------------------------------------------


def match_anywhere(scope: SearchScope, candidates: CandidatesByIndex) -> Scores:
    scores: Scores = defaultdict(float)
    wanted, unwanted = scope.query.wanted, scope.query.unwanted
    for index in list_indexes(candidates):
        for item_id, score in ask(scope, candidates, IndexQuery(index, wanted, unwanted)).items():
            scores[item_id] += score
    if len(wanted) > 1:
        said = {term: match_said(scope, term, candidates) for term in wanted}
        divided = match_divided(scope, said, candidates)
        for item_id, score in chain(match_all_said(said).items(), divided.items()):
            scores[item_id] = max(scores[item_id], score)
    return scores


def list_indexes(candidates: CandidatesByIndex) -> list[WordIndex]:
    """List the indexes that can lead to an item: a person without highlights has none to ask."""
    return [index for index in WordIndex if index not in candidates or candidates[index].size > 0]


def ask(scope: SearchScope, candidates: CandidatesByIndex, *queries: IndexQuery, limit: int | None = None) -> Scores:
    """Return the newest items that match one of the queries, each with its best score."""
    scores: Scores = {}
    for query in queries:
        among = candidates.get(query.index)
        loosely, strictly = scope.dialect.spell(query, loosely=True), scope.dialect.spell(query)
        shape = Shape(
            query.index, query.is_ranked, loosely == strictly, among and among.is_listed, limit or MOST_RANKED
        )
        statement = (
            make_statement(scope.dialect, shape, scope.conditions)
            if scope.is_narrowed
            else make_plain_statement(scope.dialect, shape)
        )
        said = {"words": loosely, "strict": strictly, "numbers": among and among.packed}
        for item_id, score in scope.tx.execute(statement, scope.parameters | said):
            scores[item_id] = max(scores.get(item_id, score), score)
    return scores


@lru_cache(maxsize=200)
def make_plain_statement(dialect: SearchDialect, shape: Shape) -> Query:
    """Make a statement once, where only libraries narrow a search: to put it together takes a millisecond."""
    return make_statement(dialect, shape, narrow(ItemFilter()))


def make_statement(dialect: SearchDialect, shape: Shape, conditions: Conditions) -> Query:
    if shape.is_listed is None:
        return dialect.walk_index(shape, conditions)
    if shape.is_listed:
        return dialect.rank_candidates(shape, dialect.unpack(bindparam("numbers", type_=String)), conditions)
    number = library_numbers.c.item_no if shape.index is WordIndex.ITEM else library_numbers.c.media_no
    own = select(number.label("no")).where(library_numbers.c.library_id.in_(LIBRARIES))
    return dialect.rank_candidates(shape, own, conditions)


# --- some words here, some there ------------------------------------------------------------------------------


def match_said(scope: SearchScope, term: Term, candidates: CandidatesByIndex) -> Scores:
    """Return the items of which the library, or a highlight of the person who asks, says a word."""
    queries = [IndexQuery(WordIndex.ITEM, [term], (), OWN_FIELDS)]
    if WordIndex.HIGHLIGHT in list_indexes(candidates):
        queries.append(IndexQuery(WordIndex.HIGHLIGHT, [term]))
    return ask(scope, candidates, *queries)


def match_all_said(said: Mapping[Term, Scores]) -> Scores:
    """Return the items of which the library and the person's highlights together say all of the words."""
    found = set.intersection(*map(set, said.values()))
    return {item_id: sum(scores[item_id] for scores in said.values()) for item_id in found}


def match_divided(scope: SearchScope, said: Mapping[Term, Scores], candidates: CandidatesByIndex) -> Scores:
    """Return the items of which the library says some of the words, and the page the others."""
    scores: Scores = {}
    for own, partly in group_by_words(said)[:MOST_DIVISIONS]:
        there = match_page(scope, said, own, list_numbers(scope, select_these(partly)))
        scores |= add_up(partly, there)
    for term in [term for term, found in said.items() if len(found) >= MOST_RANKED][:MOST_DIVISIONS]:
        # said of so many that those whose pages say the rest may be older ones
        there = match_page(scope, said, (term,), candidates)
        query = IndexQuery(WordIndex.ITEM, [term], (), OWN_FIELDS)
        scores |= add_up(ask(scope, list_numbers(scope, select_these(there)), query), there)
    return scores


def group_by_words(said: Mapping[Term, Scores]) -> list[tuple[tuple[Term, ...], Scores]]:
    """Group items by the words that their library says, where these are not all; the largest groups come first."""
    words: dict[UUID, tuple[Term, ...]] = defaultdict(tuple)
    for term, scores in said.items():
        for item_id in scores:
            words[item_id] += (term,)
    groups: dict[tuple[Term, ...], Scores] = defaultdict(dict)
    for item_id, own in words.items():
        if len(own) < len(said):
            groups[own][item_id] = sum(said[term][item_id] for term in own)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def match_page(scope: SearchScope, terms: Iterable[Term], own: Sequence[Term], candidates: CandidatesByIndex) -> Scores:
    """Return the items of which the page says all of the words but the library's own."""
    rest = [term for term in terms if term not in own]
    return ask(scope, candidates, IndexQuery(WordIndex.CARD, rest), IndexQuery(WordIndex.PAGE, rest))


def add_up(said: Scores, there: Scores) -> Scores:
    """Add the scores of the items that are in both."""
    return {item_id: said[item_id] + score for item_id, score in there.items() if item_id in said}


def select_these(item_ids: Iterable[UUID]) -> Query:
    return select(items.c.id).where(items.c.id.in_(list(item_ids)))


# --- unwanted words, and queries without wanted words ----------------------------------------------------------


def leave_out_unwanted(scope: SearchScope, item_ids: Iterable[UUID]) -> list[UUID]:
    """Return those of the items that say no unwanted word anywhere."""
    these = select_these(item_ids)
    return list(scope.tx.execute(without_unwanted(scope, these, list_numbers(scope, these))).scalars())


def without_unwanted(scope: SearchScope, query: Query, candidates: CandidatesByIndex) -> Query:
    for index, term in product(WordIndex, scope.query.unwanted):
        among = scope.dialect.unpack(literal(candidates[index].packed)) if index in candidates else None
        expression = scope.dialect.spell(IndexQuery(index, [term]))
        query = query.where(~is_said(scope, index, scope.dialect.select_matching(index, expression, among)))
    return query


def is_said(scope: SearchScope, index: WordIndex, numbers: Query) -> ColumnElement[bool]:
    """Whether an item, its page, or one of the person's highlights has one of these numbers."""
    if index is WordIndex.ITEM:
        return items.c.id.in_(select(search_items.c.item_id).where(search_items.c.no.in_(numbers)))
    if index is WordIndex.HIGHLIGHT:
        marked = select(search_highlights.c.highlight_id).where(search_highlights.c.no.in_(numbers))
        own = select(highlights.c.media_id).where(is_own(scope.user_id), highlights.c.id.in_(marked))
        return items.c.media_id.in_(own)
    return items.c.media_id.in_(select(search_media.c.media_id).where(search_media.c.no.in_(numbers)))


def list_filtered(scope: SearchScope, *, offset: int, limit: int) -> list[UUID]:
    """List what a query without wanted words leaves, the newest first or as the list wants it."""
    wanted, query = scope.wanted, select_filtered(scope)
    if len(wanted.library_ids) == 1:
        return list(scope.tx.execute(in_order(query, wanted).offset(offset).limit(limit)).scalars())
    once = is_shown_once(wanted, tagged=scope.query.tags, untagged=scope.query.unwanted_tags)
    return list_once(scope.tx, wanted, query, once, limit=offset + limit)[offset:]


def count_filtered(scope: SearchScope, *, most: int) -> int:
    """Count what `list_filtered` would list, up to `most`."""
    query = select_filtered(scope)
    if len(scope.wanted.library_ids) > 1:
        query = query.where(is_shown_once(scope.wanted, tagged=scope.query.tags, untagged=scope.query.unwanted_tags))
    return int(scope.tx.execute(select(func.count()).select_from(query.limit(most).subquery())).scalar_one())


def select_filtered(scope: SearchScope) -> Query:
    library = is_in(items.c.library_id, scope.wanted.library_ids)
    query = with_states(select(items.c.id).select_from(items), scope.user_id).where(library, *scope.conditions)
    return without_unwanted(scope, query, {})


# --- the order of what was found -------------------------------------------------------------------------------


def keep_once(scope: SearchScope, item_ids: Sequence[UUID]) -> list[UUID]:
    """Keep, of a page that several libraries hold, the item that fits best."""
    query = select(items.c.id, items.c.media_id).where(items.c.id.in_(item_ids))
    media_ids = {row.id: row.media_id for row in scope.tx.execute(query)}
    kept: dict[UUID, UUID] = {}
    for item_id in item_ids:
        kept.setdefault(media_ids[item_id], item_id)
    return list(kept.values())


def sort_by_date(scope: SearchScope, item_ids: Sequence[UUID]) -> list[UUID]:
    return list(scope.tx.execute(in_order(select(items.c.id).where(items.c.id.in_(item_ids)), scope.wanted)).scalars())
