"""Lists of a viewer's highlights: of all pages, of one media, and by offset for other programs."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from kept.content.search.query import SearchQuery, narrow_site, parse_search
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.highlight import Highlight, HighlightFilter
from kept.domain.item import Card
from kept.domain.paging import PageRequest, Position, parse_offset, parse_position, write_offset, write_position
from kept.services.pages.cards import get_visible_media
from kept.storage import highlights, items, libraries
from kept.storage.database.engine import Connection
from kept.storage.search.highlight_list import list_found_highlights

# A quote may have 20,000 characters: more of them at once would be a large answer.
MAX_MEDIA_PAGE: Final = 500
MAX_LISTED: Final = 20_000
"""Offsets are counted from the newest each time; whoever needs more uses the API with cursors."""


@dataclass(frozen=True, slots=True)
class FoundHighlight:
    highlight: Highlight
    card: Card
    """The page as the viewer's own library has it, else another one they can read."""


@dataclass(frozen=True, slots=True)
class HighlightPage:
    entries: list[FoundHighlight]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class MediaHighlights:
    highlights: list[Highlight]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class OwnHighlights:
    entries: list[FoundHighlight]
    total: int


def list_highlights(tx: Connection, viewer: Viewer, wanted: HighlightFilter, page: PageRequest) -> HighlightPage:
    """List the viewer's highlights on all pages they can read, newest first, each with the card of its page."""
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


def list_media_highlights(tx: Connection, viewer: Viewer, media_id: UUID, page: PageRequest) -> MediaHighlights:
    """List the viewer's highlights on one media, in the order of its text, a page at a time."""
    offset = parse_offset(page.cursor) if page.cursor else 0
    media_id = get_visible_media(tx, viewer, media_id).id
    found = highlights.list_page_of_media(tx, viewer.user_id, media_id, offset=offset, limit=page.limit + 1)
    next_cursor = write_offset(offset + page.limit) if len(found) > page.limit else None
    return MediaHighlights(found[: page.limit], next_cursor)


def list_own_highlights(tx: Connection, viewer: Viewer, *, offset: int, limit: int) -> OwnHighlights:
    """List the viewer's highlights by offset for other programs, newest first, each with its page's card."""
    wanted, query = HighlightFilter(), parse_search("")
    most = min(offset + limit, MAX_LISTED)
    found = list_found_highlights(tx, viewer.user_id, wanted, query, after=None, limit=most)[offset:]
    cards = {
        card.media.id: card
        for card in items.list_cards_of_media(tx, viewer.user_id, {highlight.media_id for highlight in found})
    }
    entries = [FoundHighlight(one, cards[one.media_id]) for one in found if one.media_id in cards]
    return OwnHighlights(entries, highlights.count_own(tx, viewer.user_id))
