"""The ids of the items that a search finds, in order. For a unit of work and libraries the caller has checked."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.search.query import SearchQuery
from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.storage.database.engine import Connection
from kept.storage.search import find
from kept.storage.search.scope import make_scope


@dataclass(frozen=True, slots=True)
class RankRequest:
    wanted: ItemFilter
    query: SearchQuery
    by_date: bool = False
    """In the order of `wanted` instead of the best first."""


@dataclass(frozen=True, slots=True)
class Ranked:
    item_ids: list[UUID]
    total: int | None
    """How many are found in all; None where that was not counted."""


def rank_items(tx: Connection, viewer: Viewer, asked: RankRequest, *, offset: int, limit: int) -> Ranked:
    if asked.query.is_empty:
        return Ranked([], 0)
    scope = make_scope(tx, viewer.user_id, asked.wanted, asked.query)
    if not asked.query.wanted:
        return Ranked(find.list_filtered(scope, offset=offset, limit=limit), None)
    found = find.find_items(scope)
    ranked = find.sort_by_date(scope, found) if asked.by_date else found
    return Ranked(ranked[offset : offset + limit], len(ranked))
