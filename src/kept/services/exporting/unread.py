"""The next unread articles as one book, for whoever reads away from the screen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import uuid5

from kept.content.export_formats.epub_file import Book, BookCover
from kept.content.export_formats.zip_stream import Member
from kept.domain.account import Viewer
from kept.domain.item import ItemFilter
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest
from kept.services.exporting.articles import read_article_file
from kept.services.exporting.libraries import pack_entries
from kept.services.exporting.scope import ExportScope, open_spool
from kept.services.images.store import ImageStore
from kept.services.items.lists import list_item_page
from kept.storage import exports, libraries
from kept.storage.database.engine import Connection
from kept.storage.exports import ExportPage

ARTICLES: Final = 10


@dataclass(frozen=True, slots=True)
class UnreadBook:
    name: str
    chunks: AsyncIterator[bytes]


async def export_next_unread(store: ImageStore, viewer: Viewer, *, now: datetime) -> UnreadBook:
    """Export the articles at the top of the viewer's own list that are neither read nor archived, as one book."""
    page = await store.database.read(_list_unread, viewer)
    scope = ExportScope(store, viewer, (), now, lambda _: None)
    return UnreadBook(f"kept-unread-{now:%Y-%m-%d}.epub", pack_entries(now, _entries(scope, page)))


def _list_unread(tx: Connection, viewer: Viewer) -> ExportPage:
    own = (libraries.get_default_library_id(tx, viewer.user_id),)
    wanted = ItemFilter(own, status=ProcessingStatus.READY_FOR_READING, is_unread=True, is_archived=False)
    cards = list_item_page(tx, viewer, wanted, PageRequest(limit=ARTICLES)).cards
    return ExportPage(cards, exports.list_known_since(tx, viewer.user_id, [card.media.id for card in cards]))


async def _entries(scope: ExportScope, page: ExportPage) -> AsyncIterator[Member]:
    with ExitStack() as stack:
        book = Book(_make_cover(scope, page), lambda: stack.enter_context(open_spool()))
        for member in book.begin():
            yield member
        for card in page.cards:
            article = await read_article_file(scope, page, card, for_book=True)
            for member in await asyncio.to_thread(list, book.add(article)) if article else ():
                yield member
        for member in book.end():
            yield member


def _make_cover(scope: ExportScope, page: ExportPage) -> BookCover:
    """Return the cover; the same articles get the same id, so that a reading device replaces the book."""
    number, day = len(page.cards), scope.made_at
    book_id = uuid5(scope.viewer.user_id, " ".join(str(card.item.id) for card in page.cards))
    return BookCover(book_id, f"Kept: the next {number} unread, {day.day} {day:%B %Y}", scope.made_at)
