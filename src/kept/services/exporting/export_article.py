"""An item's article as a file to take away: HTML, EPUB, Markdown or plain text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.content.export_formats.article_file import ArticleFile, EmbeddedImage, list_images
from kept.content.export_formats.epub_file import write_epub
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.html_file import write_html
from kept.content.export_formats.text_file import write_markdown, write_text
from kept.domain.account import Viewer
from kept.domain.highlight import Highlight
from kept.domain.history import tell_kept_at
from kept.domain.item import Card
from kept.services.exporting.describe_article import describe_article
from kept.services.exporting.fit_image import fit_image
from kept.services.exporting.show_highlights import show_highlights
from kept.services.images.store import ImageStore, StoredImage
from kept.services.pages.cards import ReadableArticle, get_article, get_card
from kept.storage import articles, highlights, images
from kept.storage.database.engine import Connection
from kept.storage.images import ImageAsset

# For images that are not stored yet. Whoever downloads a file waits for it; an image too late becomes a link.
IMAGE_SECONDS: Final = 20.0
AT_ONCE: Final = 8


class FileFormat(StrEnum):
    HTML = "html"
    EPUB = "epub"
    MARKDOWN = "md"
    TEXT = "txt"


CONTENT_TYPES: Final = {
    FileFormat.HTML: "text/html; charset=utf-8",
    FileFormat.EPUB: "application/epub+zip",
    FileFormat.MARKDOWN: "text/markdown; charset=utf-8",
    FileFormat.TEXT: "text/plain; charset=utf-8",
}
WITH_IMAGES: Final = frozenset({FileFormat.HTML, FileFormat.EPUB})


@dataclass(frozen=True, slots=True)
class ExportedFile:
    data: bytes
    content_type: str
    name: str


@dataclass(frozen=True, slots=True)
class _Source:
    card: Card
    article: ReadableArticle
    kept_at: datetime | None
    assets: list[ImageAsset]
    highlights: list[Highlight]


async def export_article(
    store: ImageStore, viewer: Viewer, item_id: UUID, to: FileFormat, *, now: datetime, with_highlights: bool = True
) -> ExportedFile:
    """HTML and EPUB show the viewer's highlights and notes, if they are wanted."""
    source = await store.database.read(_read, viewer, item_id)
    assets, html = {asset.id: asset for asset in source.assets}, source.article.html
    shown = [assets[key] for key in list_images(html) if key in assets]
    images = await _collect_images(store, viewer, shown, to) if to in WITH_IMAGES else {}
    file = describe_article(source.card, html, source.article.canonical_text, shown, images, source.kept_at)
    if with_highlights and to in WITH_IMAGES:
        file = await asyncio.to_thread(show_highlights, file, source.highlights)
    data = await asyncio.to_thread(_write, file, to, source.kept_at or now)
    return ExportedFile(data, CONTENT_TYPES[to], f"{make_file_name(file.title)}.{to}")


def _read(tx: Connection, viewer: Viewer, item_id: UUID) -> _Source:
    card = get_card(tx, viewer, item_id)
    known_since = articles.find_known_since(tx, card.media.id, viewer.user_id)
    kept_at = tell_kept_at(card.media, known_since)
    found = highlights.list_of_media(tx, viewer.user_id, [card.media.id]).get(card.media.id, [])
    return _Source(card, get_article(tx, card.media), kept_at, images.list_assets(tx, card.media.id), found)


def _write(file: ArticleFile, to: FileFormat, made_at: datetime) -> bytes:
    match to:
        case FileFormat.HTML:
            return write_html(file)
        case FileFormat.EPUB:
            return write_epub(file, made_at=made_at)
        case FileFormat.MARKDOWN:
            return write_markdown(file)
        case FileFormat.TEXT:
            return write_text(file)


async def _collect_images(
    store: ImageStore, viewer: Viewer, shown: Sequence[ImageAsset], to: FileFormat
) -> dict[UUID, EmbeddedImage]:
    """In the article's order, as many as fit into the time and a page's allowance."""
    places, found = asyncio.Semaphore(AT_ONCE), dict[UUID, EmbeddedImage]()

    async def collect(asset: ImageAsset) -> None:
        async with places:
            if sum(len(image.data) for image in found.values()) < store.settings.image_total_bytes:
                image = await _find_image(store, viewer, asset, to)
                if image is not None:
                    found[asset.id] = image

    tasks = [asyncio.create_task(collect(asset)) for asset in shown[: store.settings.image_count]]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=IMAGE_SECONDS)
        for task in late:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):  # not a cancellation: a file must not lack images without a word
                raise error
    return {asset.id: found[asset.id] for asset in shown if asset.id in found}


async def _find_image(store: ImageStore, viewer: Viewer, asset: ImageAsset, to: FileFormat) -> EmbeddedImage | None:
    stored = await store.obtain(asset, user_key=str(viewer.user_id))
    if not isinstance(stored, StoredImage):
        return None
    return await fit_image(store, stored, for_book=to is FileFormat.EPUB)
