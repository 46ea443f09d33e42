"""The viewer's highlights by offset, newest first, each with the card of its page: as other programs list."""

from dataclasses import dataclass
from typing import Final

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.highlight import HighlightFilter
from kept.services.highlights.list_highlights import FoundHighlight
from kept.storage import highlights, items
from kept.storage.database.engine import Connection
from kept.storage.search.highlight_list import list_found_highlights

MAX_LISTED: Final = 20_000
"""Offsets are counted from the newest each time: further back there is the API that has cursors."""


@dataclass(frozen=True, slots=True)
class OwnHighlights:
    entries: list[FoundHighlight]
    total: int


def list_own_highlights(tx: Connection, viewer: Viewer, *, offset: int, limit: int) -> OwnHighlights:
    wanted, query = HighlightFilter(), parse_search("")
    most = min(offset + limit, MAX_LISTED)
    found = list_found_highlights(tx, viewer.user_id, wanted, query, after=None, limit=most)[offset:]
    cards = {
        card.media.id: card
        for card in items.list_cards_of_media(tx, viewer.user_id, {highlight.media_id for highlight in found})
    }
    entries = [FoundHighlight(one, cards[one.media_id]) for one in found if one.media_id in cards]
    return OwnHighlights(entries, highlights.count_own(tx, viewer.user_id))
