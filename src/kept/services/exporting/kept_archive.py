"""The files of Kept's own export format (docs/export-format.md)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.export_formats import kept_file
from kept.content.export_formats.article_file import list_images
from kept.content.export_formats.highlight_files import HighlightedPage, write_collection
from kept.content.export_formats.kept_file import (
    ExportedCapture,
    ExportedCounts,
    ExportedImage,
    ExportedNumbers,
    ExportedPage,
)
from kept.content.export_formats.zip_stream import Deflated, Member
from kept.content.images.format import ImageFormat
from kept.domain.capture import CaptureFormat
from kept.domain.document import hands_out_file
from kept.domain.history import tell_kept_at
from kept.domain.item import Card
from kept.domain.synced import NumberKind
from kept.services.exporting.articles import StoredPage, describe_article, read_highlights, read_stored_page
from kept.services.exporting.scope import ExportScope, iterate_export, open_spool
from kept.storage import captures, exports, sync
from kept.storage.database.engine import Connection
from kept.storage.exports import ExportPage, Selection
from kept.storage.images import ImageAsset
from kept.version import __version__

# Deflating them saves little, and what is stored as it is does not count towards what an import may unpack.
PACKED: Final = frozenset({CaptureFormat.DOCUMENT, CaptureFormat.PDF, CaptureFormat.PNG})


async def kept_export_entries(scope: ExportScope) -> AsyncIterator[Member]:
    """Yield the files of an export in Kept's own format.

    A media that several libraries hold is written once, with all its lines, when it is first met.
    """
    with ExitStack() as stack:
        lines = _ItemFiles(lambda: stack.enter_context(open_spool()))
        written = set[UUID]()
        for library in scope.libraries:
            async for page in iterate_export(scope, library, Selection.WITH_COPIES):
                twins, newer, numbered = await scope.store.database.read(_find_relations, scope, page)
                for card in page.cards:
                    if card.media.id in written:
                        continue
                    places = _sort_places(scope, twins.get(card.media.id, [card]))
                    if len(places) > 1:
                        written.add(card.media.id)
                    export = _MediaExport(scope, page, card)
                    async for member in export.files():
                        yield member
                    for place in places:
                        described = export.describe(newer.get(place.item.id))
                        lines.write(kept_file.write_line(place, described, numbered[place.item.id]))
        for number, file in enumerate(lines.files, 1):
            yield Member(kept_file.items_file(number), file.finish())
        last_number = await scope.store.database.read(sync.find_last)
        counts = ExportedCounts(lines.count, len(lines.files), last_number)
        manifest = kept_file.write_manifest(scope.libraries, counts, made_at=scope.made_at, kept_version=__version__)
        yield Member(kept_file.MANIFEST, manifest)


class _ItemFiles:
    """Writes the lines about items into files of moderate length."""

    def __init__(self, open_file: Callable[[], BinaryIO]) -> None:
        self._open_file = open_file
        self.files, self.count = [Deflated(open_file())], 0

    def write(self, line: str) -> None:
        if self.files[-1].size >= kept_file.MAX_ITEMS_BYTES:
            self.files.append(Deflated(self._open_file()))
        self.files[-1].write(line)
        self.count += 1


def _sort_places(scope: ExportScope, places: list[Card]) -> list[Card]:
    """Sort the cards of a media by library, the personal one first."""
    order = {library.id: number for number, library in enumerate(scope.libraries)}
    return sorted(places, key=lambda card: order[card.item.library_id])


def _find_relations(
    tx: Connection, scope: ExportScope, page: ExportPage
) -> tuple[dict[UUID, list[Card]], dict[UUID, UUID], dict[UUID, ExportedNumbers]]:
    """Return the cards of media in several libraries, by media; and by item, its newer copy and its numbers."""
    library_ids = [library.id for library in scope.libraries]
    twins = exports.list_twins(tx, scope.viewer.user_id, page.cards, library_ids)
    places: Iterable[Card] = [*page.cards, *(card for cards in twins.values() for card in cards)]
    item_ids = list({card.item.id for card in places})
    return twins, exports.list_newer_copies(tx, item_ids), _list_numbers(tx, item_ids)


def _list_numbers(tx: Connection, item_ids: Sequence[UUID]) -> dict[UUID, ExportedNumbers]:
    own, tags = sync.list_numbers(tx, NumberKind.ITEM, item_ids), sync.list_tag_numbers(tx, item_ids)
    return {
        item_id: ExportedNumbers(own.get(item_id), {tag.name: tag.number for tag in tags.get(item_id, ())})
        for item_id in item_ids
    }


class _MediaExport:
    """Writes the files of one media, and then what the lines of its items say of them."""

    def __init__(self, scope: ExportScope, page: ExportPage, card: Card) -> None:
        self._scope, self._page, self._card = scope, page, card
        self._folder = kept_file.folder_of(card.media.id)
        self._stored: StoredPage | None = None
        self._images: list[ExportedImage] = []
        self._screenshot: str | None = None
        self._highlights: str | None = None
        self._captures: list[ExportedCapture] = []

    async def files(self) -> AsyncIterator[Member]:
        store = self._scope.store
        self._stored = await store.database.read(read_stored_page, self._card.media)
        if self._stored.html is not None:
            yield Member(self._article_name, self._write_article(self._stored))
        for asset in self._stored.assets:
            stored = await store.find_stored(asset)
            file = self._image_name(asset) if stored else None
            self._images.append(ExportedImage(asset.origin_url, file))
            if stored and file:
                yield Member(file, stored.data, is_packed=True)
        key = self._card.media.thumbnail_key
        screenshot = await store.blobs.get(key) if key else None
        if screenshot is not None:
            self._screenshot = f"{self._folder}/screenshot.webp"
            yield Member(self._screenshot, screenshot, is_packed=True)
        for capture in await store.database.read(captures.list_captures, self._card.media.id):
            is_open = capture.format is not CaptureFormat.DOCUMENT or hands_out_file(self._card.media)
            data = await store.blobs.get(capture.blob_key) if is_open else None
            if data is not None:
                name = f"{self._folder}/{captures.file_name_of(capture)}"
                self._captures.append(ExportedCapture(capture.format.value, name))
                yield Member(name, data, is_packed=capture.format in PACKED)
        if marked := await read_highlights(self._scope, self._card.media.id):
            self._highlights = f"{self._folder}/highlights.json"
            ids = [highlight.id for highlight in marked]
            numbered = await store.database.read(sync.list_numbers, NumberKind.HIGHLIGHT, ids)
            page = HighlightedPage(self._card, marked, numbers=numbered)
            yield Member(self._highlights, await asyncio.to_thread(write_collection, page))

    def describe(self, newer_copy: UUID | None) -> ExportedPage:
        stored = self._stored
        has_article = stored is not None and stored.html is not None
        return ExportedPage(
            tell_kept_at(self._card.media, self._page.known_since.get(self._card.media.id)),
            self._article_name if has_article else None,
            stored.canonical_version if stored and has_article else None,
            self._images,
            self._screenshot,
            newer_copy,
            self._highlights,
            self._captures,
        )

    @property
    def _article_name(self) -> str:
        return f"{self._folder}/article.html"

    def _image_name(self, asset: ImageAsset) -> str:
        return f"{self._folder}/{asset.id}.{ImageFormat(asset.content_type or '').extension}"

    def _write_article(self, stored: StoredPage) -> bytes:
        assert stored.html is not None
        shown = set(list_images(stored.html))
        assets = [asset for asset in stored.assets if asset.id in shown]
        return kept_file.write_article(describe_article(self._card, stored.html, stored.text, assets, {}, None))
