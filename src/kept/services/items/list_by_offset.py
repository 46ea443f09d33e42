"""A page of the viewer's own library by offset, with how many there are: as other programs list."""

from dataclasses import replace
from typing import Final

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.offset_list import OffsetList, OffsetPage
from kept.services.items.rank_items import RankRequest, rank_items
from kept.storage import items, libraries, offset_lists
from kept.storage.database.engine import Connection, Database
from kept.storage.search.find import count_filtered
from kept.storage.search.scope import make_scope

MAX_COUNTED: Final = 10_000


async def list_by_offset(database: Database, viewer: Viewer, wanted: OffsetList) -> OffsetPage:
    return await database.read(_list, viewer, wanted)


def _list(tx: Connection, viewer: Viewer, wanted: OffsetList) -> OffsetPage:
    own = (libraries.get_default_library_id(tx, viewer.user_id),)
    wanted = replace(wanted, filter=replace(wanted.filter, library_ids=own))
    if wanted.text:
        return _search(tx, viewer, wanted, wanted.text)
    cards = offset_lists.list_by_offset(tx, viewer.user_id, wanted)
    is_whole = not wanted.offset and len(cards) < wanted.limit
    total = len(cards) if is_whole else offset_lists.count_by_offset(tx, viewer.user_id, wanted)
    changed_at = offset_lists.list_changed_at(tx, viewer.user_id, [card.item.id for card in cards])
    return OffsetPage(cards, changed_at, total)


def _search(tx: Connection, viewer: Viewer, wanted: OffsetList, text: str) -> OffsetPage:
    """The best first; of what a list can ask besides, its states and its tags narrow it."""
    query = parse_search(" ".join([text, *(f'tag:"{tag}"' for tag in wanted.tags)]))
    found = rank_items(
        tx, viewer, RankRequest(wanted.filter, query, by_date=False), offset=wanted.offset, limit=wanted.limit
    )
    total = found.total
    if total is None:
        total = count_filtered(make_scope(tx, viewer.user_id, wanted.filter, query), most=MAX_COUNTED)
    cards = {card.item.id: card for card in items.list_cards_by_id(tx, viewer.user_id, found.item_ids)}
    ordered = [cards[item_id] for item_id in found.item_ids if item_id in cards]
    return OffsetPage(ordered, offset_lists.list_changed_at(tx, viewer.user_id, list(cards)), total)
