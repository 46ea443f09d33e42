"""An item's article as a file to take away: HTML, EPUB, Markdown or plain text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from kept.content.export_formats.article_file import ArticleFile, Picture, list_pictures
from kept.content.export_formats.epub_file import write_epub
from kept.content.export_formats.file_names import make_file_name
from kept.content.export_formats.html_file import write_html
from kept.content.export_formats.text_file import write_markdown, write_text
from kept.domain.account import Viewer
from kept.services.exporting.iterate_export import describe, fit_picture
from kept.services.images.image_store import ImageKeeper, KeptImage
from kept.services.items.change_item import get_card
from kept.services.reading.read_article import get_article
from kept.services.reading.read_media import find_kept_at
from kept.storage import images
from kept.storage.images import ImageAsset

# For pictures that are not kept yet. Whoever downloads a file waits for it; a picture too late becomes a link.
PICTURE_SECONDS: Final = 20.0
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
WITH_PICTURES: Final = frozenset({FileFormat.HTML, FileFormat.EPUB})


@dataclass(frozen=True, slots=True)
class ExportedFile:
    data: bytes
    content_type: str
    name: str


async def export_article(
    keeper: ImageKeeper, viewer: Viewer, item_id: UUID, to: FileFormat, *, now: datetime
) -> ExportedFile:
    async with keeper.database.read() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        article = await get_article(tx, card.media)
        kept_at = await find_kept_at(tx, viewer, card.media)
        assets = {asset.id: asset for asset in await images.list_assets(tx, card.media.id)}
    shown = [assets[key] for key in list_pictures(article.html) if key in assets]
    pictures = await collect_pictures(keeper, viewer, shown, to) if to in WITH_PICTURES else {}
    file = describe(card, article.html, article.canonical_text, shown, pictures, kept_at)
    data = await asyncio.to_thread(write, file, to, kept_at or now)
    return ExportedFile(data, CONTENT_TYPES[to], f"{make_file_name(file.title)}.{to}")


def write(file: ArticleFile, to: FileFormat, made_at: datetime) -> bytes:
    match to:
        case FileFormat.HTML:
            return write_html(file)
        case FileFormat.EPUB:
            return write_epub(file, made_at=made_at)
        case FileFormat.MARKDOWN:
            return write_markdown(file)
        case FileFormat.TEXT:
            return write_text(file)


async def collect_pictures(
    keeper: ImageKeeper, viewer: Viewer, shown: Sequence[ImageAsset], to: FileFormat
) -> dict[UUID, Picture]:
    """In the article's order, as many as fit into the time and a page's allowance."""
    places, found = asyncio.Semaphore(AT_ONCE), dict[UUID, Picture]()

    async def collect(asset: ImageAsset) -> None:
        async with places:
            if sum(len(picture.data) for picture in found.values()) < keeper.settings.image_total_bytes:
                picture = await find_picture(keeper, viewer, asset, to)
                if picture is not None:
                    found[asset.id] = picture

    tasks = [asyncio.create_task(collect(asset)) for asset in shown[: keeper.settings.image_count]]
    if tasks:
        _, late = await asyncio.wait(tasks, timeout=PICTURE_SECONDS)
        for task in late:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):  # not a cancellation: a file must not lack pictures without a word
                raise error
    return {asset.id: found[asset.id] for asset in shown if asset.id in found}


async def find_picture(keeper: ImageKeeper, viewer: Viewer, asset: ImageAsset, to: FileFormat) -> Picture | None:
    kept = await keeper.obtain(asset, user_key=str(viewer.user_id))
    if not isinstance(kept, KeptImage):
        return None
    return await fit_picture(keeper, kept, for_book=to is FileFormat.EPUB)
