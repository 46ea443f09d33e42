"""The viewer's highlights on all pages they can read, newest first, each with the card of its page."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from kept.content.search.query import SearchQuery, narrow_site, parse_search
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.highlight import Highlight, HighlightFilter
from kept.domain.item import Card
from kept.domain.paging import PageRequest, Position, parse_position, write_position
from kept.storage import items, libraries
from kept.storage.database.engine import Connection
from kept.storage.search.highlight_list import list_found_highlights


@dataclass(frozen=True, slots=True)
class FoundHighlight:
    highlight: Highlight
    card: Card
    """The page as the viewer's own library has it, else another one they can read."""


@dataclass(frozen=True, slots=True)
class HighlightPage:
    entries: list[FoundHighlight]
    next_cursor: str | None


def list_highlights(tx: Connection, viewer: Viewer, wanted: HighlightFilter, page: PageRequest) -> HighlightPage:
    after = parse_position(page.cursor) if page.cursor else None
    query = _understand(wanted)
    found = list_found_highlights(tx, viewer.user_id, wanted, query, after=after, limit=page.limit + 1)
    shown = found[: page.limit]
    cards = _find_cards(tx, viewer, {highlight.media_id for highlight in shown})
    entries = [FoundHighlight(highlight, cards[highlight.media_id]) for highlight in shown]
    next_cursor = write_position(Position(shown[-1].created_at, shown[-1].id)) if len(found) > page.limit else None
    return HighlightPage(entries, next_cursor)


def _understand(wanted: HighlightFilter) -> SearchQuery:
    query = parse_search(wanted.text)
    narrowed = narrow_site(query, wanted.site, True) if wanted.site else query
    if narrowed is None:
        raise InvalidRequest("This is not the name of a site.")
    return narrowed


def _find_cards(tx: Connection, viewer: Viewer, media_ids: Collection[UUID]) -> dict[UUID, Card]:
    own_id = libraries.get_default_library_id(tx, viewer.user_id)
    cards: dict[UUID, Card] = {}
    for card in items.list_cards_of_media(tx, viewer.user_id, media_ids):
        if card.media.id not in cards or card.item.library_id == own_id:
            cards[card.media.id] = card
    return cards
