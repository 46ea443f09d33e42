"""One article as a file, with its images and highlights."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

import structlog

from kept.content.article.highlights.marking import mark_highlights
from kept.content.article.safe_html import SafeHtml
from kept.content.export_formats.article_file import ArticleFile, EmbeddedImage, list_images, make_file_name
from kept.content.export_formats.epub_file import CORE_FORMATS, write_epub
from kept.content.export_formats.highlight_files import HighlightedPage
from kept.content.export_formats.html_file import write_html, write_markdown, write_text
from kept.content.images.format import BadImage, ImageFormat
from kept.domain.account import Viewer
from kept.domain.highlight import Highlight, Mark
from kept.domain.history import tell_kept_at
from kept.domain.item import Card
from kept.domain.media import Media
from kept.services.exporting.scope import ExportScope
from kept.services.images.store import ImageStore, StoredImage
from kept.services.pages.cards import ReadableArticle, get_article, get_card
from kept.storage import articles, highlights, images
from kept.storage.database.engine import Connection
from kept.storage.exports import ExportPage
from kept.storage.images import ImageAsset

# This is for images that are not stored yet. Whoever downloads a file waits; an image too late becomes a link.
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
log = structlog.get_logger("kept.export")


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


@dataclass(frozen=True, slots=True)
class StoredPage:
    html: SafeHtml | None
    text: str
    canonical_version: int
    assets: list[ImageAsset]


async def export_article(
    store: ImageStore, viewer: Viewer, item_id: UUID, to: FileFormat, *, now: datetime, with_highlights: bool = True
) -> ExportedFile:
    """Write an item's article as a file: HTML, EPUB, Markdown or plain text.

    HTML and EPUB show the viewer's highlights and notes, if they are wanted.
    """
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
    """Return the images in the article's order, as many as fit into the time and a page's allowance."""
    places, found = asyncio.Semaphore(AT_ONCE), dict[UUID, EmbeddedImage]()

    async def collect(asset: ImageAsset) -> None:
        async with places:
            if sum(len(image.data) for image in found.values()) < store.settings.image_total_bytes:
                image = await _find_image(store, viewer, asset, to)
                if image is not None:
                    found[asset.id] = image

    tasks = [asyncio.create_task(collect(asset)) for asset in shown[: store.settings.limits.image_count]]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=IMAGE_SECONDS)
        for task in late:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):  # this is no cancellation: a file must not lack images silently
                raise error
    return {asset.id: found[asset.id] for asset in shown if asset.id in found}


async def _find_image(store: ImageStore, viewer: Viewer, asset: ImageAsset, to: FileFormat) -> EmbeddedImage | None:
    stored = await store.obtain(asset, user_key=str(viewer.user_id))
    if not isinstance(stored, StoredImage):
        return None
    return await fit_image(store, stored, for_book=to is FileFormat.EPUB)


async def read_article_file(
    scope: ExportScope, page: ExportPage, card: Card, *, for_book: bool = False
) -> ArticleFile | None:
    """Return an item's article for an export, or None; its images are those that are stored, and no site is asked."""
    stored = await scope.store.database.read(read_stored_page, card.media)
    if stored.html is None:
        return None
    assets = {asset.id: asset for asset in stored.assets}
    shown = [assets[key] for key in list_images(stored.html) if key in assets]
    images = await _collect(scope, shown, for_book=for_book)
    kept_at = tell_kept_at(card.media, page.known_since.get(card.media.id))
    article = describe_article(card, stored.html, stored.text, shown, images, kept_at)
    return await asyncio.to_thread(show_highlights, article, await read_highlights(scope, card.media.id))


async def _collect(scope: ExportScope, shown: list[ImageAsset], *, for_book: bool) -> dict[UUID, EmbeddedImage]:
    found: dict[UUID, EmbeddedImage] = {}
    room = scope.store.settings.image_total_bytes
    for asset in shown:
        stored = await scope.store.find_stored(asset) if room > 0 else None
        image = await fit_image(scope.store, stored, for_book=for_book) if stored else None
        if image is not None:
            found[asset.id] = image
            room -= len(image.data)
    return found


def read_stored_page(tx: Connection, media: Media) -> StoredPage:
    """Return what is stored of a page: its article if it is ready, and its images, with preview and icon."""
    fragment = articles.find_fragment(tx, media.id) if media.is_readable else None
    assets = images.list_assets(tx, media.id)
    html = SafeHtml.admit(fragment.html_sanitized) if fragment else None
    if fragment is None or html is None:
        if fragment is not None:
            log.error("export.article_not_safe", media_id=str(media.id))
        return StoredPage(None, "", 0, assets)
    return StoredPage(html, fragment.canonical_text, fragment.canonical_version, assets)


async def fit_image(store: ImageStore, stored: StoredImage, *, for_book: bool) -> EmbeddedImage | None:
    """Return an image for a file: as it is stored, or in a format that readers of e-books know."""
    if for_book and stored.content_type not in CORE_FORMATS:
        made = await store.pool.convert(stored.data)
        return None if isinstance(made, BadImage) else EmbeddedImage(made.data, made.kind)
    return EmbeddedImage(stored.data, ImageFormat(stored.content_type))


def describe_article(
    card: Card,
    html: SafeHtml,
    text: str,
    shown: Sequence[ImageAsset],
    images: Mapping[UUID, EmbeddedImage],
    kept_at: datetime | None,
) -> ArticleFile:
    """Return an article with everything that a file says about it."""
    media, url = card.media, card.media.canonical_url or card.item.url
    return ArticleFile(
        id=media.id,
        title=card.title or url,
        html=html,
        text=text,
        url=url,
        byline=media.byline,
        site_name=media.site_name,
        lang=media.lang,
        published_at=media.published_at,
        kept_at=kept_at,
        images=images,
        origins={asset.id: asset.origin_url for asset in shown},
    )


def describe_highlights(card: Card, highlights: Sequence[Highlight], base_url: str | None) -> HighlightedPage:
    """Return a page with the viewer's highlights, as files describe it."""
    read_url = f"{base_url.rstrip('/')}/read/{card.item.id}" if base_url else None
    return HighlightedPage(card, highlights, read_url)


def show_highlights(article: ArticleFile, highlights: Sequence[Highlight]) -> ArticleFile:
    """Show a person's highlights in the file of an article: as marks in the text, with the notes below it."""
    marks = [
        Mark(highlight.id, highlight.span, highlight.colour, highlight.note is not None)
        for highlight in highlights
        if highlight.span is not None
    ]
    return replace(article, html=mark_highlights(article.html, marks), highlights=highlights)


async def read_highlights(scope: ExportScope, media_id: UUID) -> list[Highlight]:
    """Return the viewer's own highlights of a media of the export, in the order of the text."""
    found = await scope.store.database.read(highlights.list_of_media, scope.viewer.user_id, [media_id])
    return found.get(media_id, [])
