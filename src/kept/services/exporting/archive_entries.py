"""The files inside an export that is an archive: Kept's own format, a book, a folder of pages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack
from typing import BinaryIO, Final
from uuid import UUID, uuid5

from kept.content.export_formats import folder_index, kept_file
from kept.content.export_formats.article_file import list_pictures
from kept.content.export_formats.epub_file import Book, BookCover
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.html_file import write_html
from kept.content.export_formats.kept_file import ExportedImage, ExportedPage
from kept.content.export_formats.zip_stream import Deflated, Member
from kept.content.images.format import ImageFormat
from kept.domain.item import Card
from kept.domain.library import Library
from kept.services.exporting.iterate_export import LibraryWalk, StoredPage, describe, find_kept_at
from kept.storage import exports
from kept.storage.exports import ExportPage
from kept.storage.images import ImageAsset
from kept.version import __version__

Spools = Callable[[], BinaryIO]

INDEX: Final = "index.html"


# --- Kept's own format --------------------------------------------------------------------------------------------


async def list_kept_export(walk: LibraryWalk, spools: Spools) -> AsyncIterator[Member]:
    """A media that several libraries hold is written once, with all its lines, when it is first met."""
    with ExitStack() as stack:
        lines = ItemFiles(lambda: stack.enter_context(spools()))
        written = set[UUID]()
        for library in walk.libraries:
            async for page in walk.pages(library, with_copies=True):
                twins, newer = await find_relations(walk, page)
                for card in page.cards:
                    if card.media.id in written:
                        continue
                    places = sort_places(walk, twins.get(card.media.id, [card]))
                    if len(places) > 1:
                        written.add(card.media.id)
                    export = MediaExport(walk, page, card)
                    async for member in export.files():
                        yield member
                    for place in places:
                        lines.write(kept_file.write_line(place, export.describe(newer.get(place.item.id))))
        for number, file in enumerate(lines.files, 1):
            yield Member(kept_file.items_file(number), file.finish())
        manifest = kept_file.write_manifest(
            walk.libraries, lines.count, len(lines.files), made_at=walk.made_at, kept_version=__version__
        )
        yield Member(kept_file.MANIFEST, manifest)


class ItemFiles:
    """Lines in files of moderate length."""

    def __init__(self, spools: Spools) -> None:
        self._spools = spools
        self.files, self.count = [Deflated(spools())], 0

    def write(self, line: str) -> None:
        if self.files[-1].size >= kept_file.MAX_ITEMS_BYTES:
            self.files.append(Deflated(self._spools()))
        self.files[-1].write(line)
        self.count += 1


def sort_places(walk: LibraryWalk, places: list[Card]) -> list[Card]:
    """The personal library first, as everywhere."""
    order = {library.id: number for number, library in enumerate(walk.libraries)}
    return sorted(places, key=lambda card: order[card.item.library_id])


async def find_relations(walk: LibraryWalk, page: ExportPage) -> tuple[dict[UUID, list[Card]], dict[UUID, UUID]]:
    library_ids = [library.id for library in walk.libraries]
    async with walk.keeper.database.read() as tx:
        twins = await exports.list_twins(tx, walk.viewer.user_id, page.cards, library_ids)
        places: Iterable[Card] = [*page.cards, *(card for cards in twins.values() for card in cards)]
        newer = await exports.list_newer_copies(tx, list({card.item.id for card in places}))
    return twins, newer


class MediaExport:
    """One media's files, and then what its items' lines say of them."""

    def __init__(self, walk: LibraryWalk, page: ExportPage, card: Card) -> None:
        self._walk, self._page, self._card = walk, page, card
        self._folder = kept_file.folder_of(card.media.id)
        self._stored: StoredPage | None = None
        self._images: list[ExportedImage] = []
        self._screenshot: str | None = None

    async def files(self) -> AsyncIterator[Member]:
        self._stored = await self._walk.find_stored(self._card)
        if self._stored.html is not None:
            yield Member(self._article_name, self._write_article(self._stored))
        for asset in self._stored.assets:
            kept = await self._walk.keeper.find_kept(asset)
            file = self._image_name(asset) if kept else None
            self._images.append(ExportedImage(asset.origin_url, file))
            if kept and file:
                yield Member(file, kept.data, is_packed=True)
        key = self._card.media.thumbnail_key
        screenshot = await self._walk.keeper.blobs.get(key) if key else None
        if screenshot is not None:
            self._screenshot = f"{self._folder}/screenshot.webp"
            yield Member(self._screenshot, screenshot, is_packed=True)

    def describe(self, newer_copy: UUID | None) -> ExportedPage:
        stored = self._stored
        has_article = stored is not None and stored.html is not None
        return ExportedPage(
            find_kept_at(self._page, self._card),
            self._article_name if has_article else None,
            stored.canonical_version if stored and has_article else None,
            self._images,
            self._screenshot,
            newer_copy,
        )

    @property
    def _article_name(self) -> str:
        return f"{self._folder}/article.html"

    def _image_name(self, asset: ImageAsset) -> str:
        return f"{self._folder}/{asset.id}.{ImageFormat(asset.content_type or '').extension}"

    def _write_article(self, stored: StoredPage) -> bytes:
        assert stored.html is not None
        shown = set(list_pictures(stored.html))
        assets = [asset for asset in stored.assets if asset.id in shown]
        return kept_file.write_article(describe(self._card, stored.html, stored.text, assets, {}, None))


# --- a book -------------------------------------------------------------------------------------------------------


async def list_book(walk: LibraryWalk, spools: Spools) -> AsyncIterator[Member]:
    """Every article once, in the order in which they were saved."""
    with ExitStack() as stack:
        book = Book(make_cover(walk), lambda: stack.enter_context(spools()))
        written = set[UUID]()
        for member in book.begin():
            yield member
        for library in walk.libraries:
            async for page in walk.pages(library):
                for card in page.cards:
                    article = None if card.media.id in written else await walk.find_article(page, card, for_book=True)
                    if article is None:
                        continue
                    if len(walk.libraries) > 1:
                        written.add(card.media.id)
                    for member in await asyncio.to_thread(list, book.add(article)):
                        yield member
        for member in book.end():
            yield member


def make_cover(walk: LibraryWalk) -> BookCover:
    """The same libraries at the same moment give the same book."""
    title = walk.libraries[0].name if len(walk.libraries) == 1 else "Kept"
    book_id = uuid5(walk.viewer.user_id, f"{walk.made_at.isoformat()} {[str(each.id) for each in walk.libraries]}")
    return BookCover(book_id, f"{title}, {walk.made_at.day} {walk.made_at:%B %Y}", walk.made_at)


# --- a folder of pages --------------------------------------------------------------------------------------------


async def list_folder(walk: LibraryWalk, spools: Spools) -> AsyncIterator[Member]:
    """A page for each article, which needs nothing else, in a folder for each library; and a page that lists them."""
    with spools() as spool:
        index, folders = Deflated(spool), name_folders(walk.libraries)
        index.write(folder_index.BEGINNING)
        for library in walk.libraries:
            index.write(folder_index.begin_list(library))
            number = 0
            async for page in walk.pages(library):
                for card in page.cards:
                    number += 1
                    article = await walk.find_article(page, card)
                    name = (
                        f"{folders[library.id]}/{number:06}-{make_file_name(article.title)}.html" if article else None
                    )
                    index.write(folder_index.write_entry(card, name))
                    if article and name:
                        yield Member(name, await asyncio.to_thread(write_html, article))
            index.write(folder_index.LIST_END)
        index.write(folder_index.END)
        yield Member(INDEX, index.finish())


def name_folders(libraries: Iterable[Library]) -> dict[UUID, str]:
    """Libraries of one name get a number after it."""
    named: dict[UUID, str] = {}
    for library in libraries:
        name, number = make_file_name(library.name, "library"), 1
        while (folder := name if number == 1 else f"{name}-{number}") in named.values():
            number += 1
        named[library.id] = folder
    return named
