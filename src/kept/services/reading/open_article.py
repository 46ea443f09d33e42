"""Open an item in the reader: its card, its article if there is one, and what lies before and after it."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.library import Library, Role
from kept.services.items.get_card import get_card
from kept.services.reading.get_article import get_article
from kept.storage import items, libraries
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class OpenArticle:
    card: Card
    library: Library
    role: Role
    html: SafeHtml | None
    newer: Card | None
    older: Card | None


async def open_article(database: Database, viewer: Viewer, item_id: UUID) -> OpenArticle:
    return await database.read(_open, viewer, item_id)


def _open(tx: Connection, viewer: Viewer, item_id: UUID) -> OpenArticle:
    card = get_card(tx, viewer, item_id)
    found = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    assert found is not None  # get_card saw the membership
    html = get_article(tx, card.media).html if card.media.is_readable else None
    newer, older = items.list_neighbours(tx, viewer.user_id, card)
    return OpenArticle(card, *found, html, newer, older)
