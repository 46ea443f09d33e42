"""The articles before and after an item, in the list it was opened from. For a unit of work."""

from dataclasses import replace
from typing import Final
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.item_list import ItemList
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import Position
from kept.services.items.rank_items import RankRequest, rank_items
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import items
from kept.storage.database.engine import Connection

Neighbours = tuple[Card | None, Card | None]
# Nobody reads further than this into what a search found.
MAX_RESULTS: Final = 1_000
READY: Final = ProcessingStatus.READY_FOR_READING


def find_neighbours(tx: Connection, viewer: Viewer, card: Card, listed: ItemList | None) -> Neighbours:
    """Those that can be read. Without a list, or one that is no longer the viewer's: of the item's own library."""
    library_ids = _find_libraries(tx, viewer, listed) if listed else ()
    if listed is None or not library_ids:
        wanted = ItemFilter((card.item.library_id,), status=READY, is_archived=False)
        return _find_by_date(tx, viewer, card, wanted)
    wanted = replace(listed.filter, library_ids=library_ids, status=READY)
    if listed.text is None:
        return _find_by_date(tx, viewer, card, wanted)
    return _find_in_search(tx, viewer, card, RankRequest(wanted, parse_search(listed.text), listed.by_date))


def _find_libraries(tx: Connection, viewer: Viewer, listed: ItemList) -> tuple[UUID, ...]:
    try:
        return choose_readable_libraries(tx, viewer, listed.library)
    except NotFound:
        return ()


def _find_by_date(tx: Connection, viewer: Viewer, card: Card, wanted: ItemFilter) -> Neighbours:
    return items.list_neighbours(tx, viewer.user_id, Position(card.item.created_at, card.item.id), wanted)


def _find_in_search(tx: Connection, viewer: Viewer, card: Card, asked: RankRequest) -> Neighbours:
    """An item that the search no longer finds, because it was read or archived meanwhile, is followed by the first."""
    found = rank_items(tx, viewer, asked, offset=0, limit=MAX_RESULTS).item_ids
    at = found.index(card.item.id) if card.item.id in found else -1
    before = found[at - 1] if at > 0 else None
    after = found[at + 1] if at + 1 < len(found) else None
    return _find_card(tx, viewer, before), _find_card(tx, viewer, after)


def _find_card(tx: Connection, viewer: Viewer, item_id: UUID | None) -> Card | None:
    return items.find_card(tx, item_id, viewer.user_id) if item_id else None
