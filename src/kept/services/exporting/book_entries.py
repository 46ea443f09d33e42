"""The files of an EPUB: every article once, in the order in which they were saved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from uuid import UUID, uuid5

from kept.content.export_formats.epub_file import Book, BookCover
from kept.content.export_formats.zip_stream import Member
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.iterate_export import iterate_export
from kept.services.exporting.open_spool import open_spool
from kept.services.exporting.read_article_file import read_article_file


async def book_entries(scope: ExportScope) -> AsyncIterator[Member]:
    with ExitStack() as stack:
        book = Book(_make_cover(scope), lambda: stack.enter_context(open_spool()))
        written = set[UUID]()
        for member in book.begin():
            yield member
        for library in scope.libraries:
            async for page in iterate_export(scope, library):
                for card in page.cards:
                    if card.media.id in written:
                        continue
                    article = await read_article_file(scope, page, card, for_book=True)
                    if article is None:
                        continue
                    if len(scope.libraries) > 1:
                        written.add(card.media.id)
                    for member in await asyncio.to_thread(list, book.add(article)):
                        yield member
        for member in book.end():
            yield member


def _make_cover(scope: ExportScope) -> BookCover:
    """The same libraries at the same moment give the same book."""
    title = scope.libraries[0].name if len(scope.libraries) == 1 else "Kept"
    book_id = uuid5(scope.viewer.user_id, f"{scope.made_at.isoformat()} {[str(each.id) for each in scope.libraries]}")
    return BookCover(book_id, f"{title}, {scope.made_at.day} {scope.made_at:%B %Y}", scope.made_at)
