"""A viewer's libraries from the first item to the last, a page of them in memory at a time: what every export walks.

Each page is read in a transaction of its own: a slow download must not hold one open, for on SQLite that would stop the
write-ahead log from being emptied.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import structlog

from kept.content.article.safe_html import SafeHtml
from kept.content.export_formats.article_file import ArticleFile, Picture, list_pictures
from kept.content.export_formats.epub_file import CORE_FORMATS
from kept.content.images.format import ImageFormat
from kept.content.images.thumbnail import BadImage
from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.domain.item_filter import Position
from kept.domain.library import Library
from kept.services.images.image_store import ImageKeeper, KeptImage
from kept.storage import articles, exports, images, libraries
from kept.storage.exports import ExportPage
from kept.storage.images import ImageAsset

log = structlog.get_logger("kept.export")

PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What Kept has of a page: its article if it is ready, and its pictures, preview and icon among them."""

    html: SafeHtml | None
    text: str
    canonical_version: int
    assets: list[ImageAsset]


@dataclass(frozen=True, slots=True)
class LibraryWalk:
    keeper: ImageKeeper
    viewer: Viewer
    libraries: tuple[Library, ...]
    made_at: datetime
    on_items: Callable[[int], None] = lambda _: None
    """Told of each page once it is written."""

    async def pages(self, library: Library, *, with_copies: bool = False) -> AsyncIterator[ExportPage]:
        after: Position | None = None
        while True:
            async with self.keeper.database.read() as tx:
                page = await exports.read_page(
                    tx, self.viewer.user_id, library.id, after=after, limit=PAGE, with_copies=with_copies
                )
            if not page.cards:
                return
            yield page
            self.on_items(len(page.cards))
            last = page.cards[-1].item
            after = Position(last.created_at, last.id)

    async def find_stored(self, card: Card) -> StoredPage:
        async with self.keeper.database.read() as tx:
            fragment = await articles.find_fragment(tx, card.media.id) if card.media.is_readable else None
            assets = await images.list_assets(tx, card.media.id)
        html = SafeHtml.admit(fragment.html_sanitized) if fragment else None
        if fragment is None or html is None:
            if fragment is not None:
                log.error("export.article_not_safe", media_id=str(card.media.id))
            return StoredPage(None, "", 0, assets)
        return StoredPage(html, fragment.canonical_text, fragment.canonical_version, assets)

    async def find_article(
        self, page: ExportPage, card: Card, *, for_book: bool = False, with_pictures: bool = True
    ) -> ArticleFile | None:
        """With the pictures that are kept: an export asks no site for anything."""
        stored = await self.find_stored(card)
        if stored.html is None:
            return None
        assets = {asset.id: asset for asset in stored.assets}
        shown = [assets[key] for key in list_pictures(stored.html) if key in assets]
        pictures = await self.collect(shown, for_book=for_book) if with_pictures else {}
        return describe(card, stored.html, stored.text, shown, pictures, find_kept_at(page, card))

    async def collect(self, shown: list[ImageAsset], *, for_book: bool) -> dict[UUID, Picture]:
        found: dict[UUID, Picture] = {}
        room = self.keeper.settings.image_total_bytes
        for asset in shown:
            kept = await self.keeper.find_kept(asset) if room > 0 else None
            picture = await fit_picture(self.keeper, kept, for_book=for_book) if kept else None
            if picture is not None:
                found[asset.id] = picture
                room -= len(picture.data)
        return found


async def choose_libraries(keeper: ImageKeeper, viewer: Viewer, library_id: UUID | None) -> tuple[Library, ...]:
    """All the viewer can see, or the one that is asked for."""
    async with keeper.database.read() as tx:
        if library_id is None:
            return tuple(library for library, _ in await libraries.list_libraries(tx, viewer.user_id))
        found = await libraries.find_library(tx, library_id, viewer.user_id)
    if found is None:
        raise NotFound
    return (found[0],)


async def fit_picture(keeper: ImageKeeper, kept: KeptImage, *, for_book: bool) -> Picture | None:
    """As it is kept, or as readers of books know it."""
    if for_book and kept.content_type not in CORE_FORMATS:
        made = await keeper.pictures.convert(kept.data)
        return None if isinstance(made, BadImage) else Picture(made.data, made.kind)
    return Picture(kept.data, ImageFormat(kept.content_type))


def find_kept_at(page: ExportPage, card: Card) -> datetime | None:
    """When this copy was made; None where that would tell when somebody else saved it."""
    made_at = card.media.fetched_at or card.media.processing_completed_at
    since = page.known_since.get(card.media.id)
    return made_at if made_at is not None and since is not None and made_at >= since else None


def describe(
    card: Card,
    html: SafeHtml,
    text: str,
    shown: Sequence[ImageAsset],
    pictures: dict[UUID, Picture],
    kept_at: datetime | None,
) -> ArticleFile:
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
        pictures=pictures,
        origins={asset.id: asset.origin_url for asset in shown},
    )
