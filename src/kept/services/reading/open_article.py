"""Open an item in the reader: its card, its article if there is one, and what lies before and after it."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.library import Library, Role
from kept.services.items.change_item import get_card
from kept.services.reading.read_article import get_article
from kept.storage import items, libraries
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class OpenArticle:
    card: Card
    library: Library
    role: Role
    html: SafeHtml | None
    newer: Card | None
    older: Card | None


async def open_article(database: Database, viewer: Viewer, item_id: UUID) -> OpenArticle:
    async with database.read() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        found = await libraries.find_library(tx, card.item.library_id, viewer.user_id)
        assert found is not None  # get_card saw the membership
        html = (await get_article(tx, card.media)).html if card.media.is_readable else None
        newer, older = await items.list_neighbours(tx, viewer.user_id, card)
    return OpenArticle(card, *found, html, newer, older)


async def find_card(database: Database, viewer: Viewer, item_id: UUID) -> tuple[Card, Role]:
    """A card, and what the viewer may do with it."""
    async with database.read() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        found = await libraries.find_library(tx, card.item.library_id, viewer.user_id)
        assert found is not None  # get_card saw the membership
        return card, found[1]
