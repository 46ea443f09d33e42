"""An item's article, ready to be written to a file, with the images that are stored: an export asks no site for
anything."""

import asyncio
from uuid import UUID

from kept.content.export_formats.article_file import ArticleFile, EmbeddedImage, list_images
from kept.domain.history import tell_kept_at
from kept.domain.item import Card
from kept.services.exporting.describe_article import describe_article
from kept.services.exporting.export_scope import ExportScope
from kept.services.exporting.fit_image import fit_image
from kept.services.exporting.read_highlights import read_highlights
from kept.services.exporting.read_stored_page import read_stored_page
from kept.services.exporting.show_highlights import show_highlights
from kept.storage.exports import ExportPage
from kept.storage.images import ImageAsset


async def read_article_file(
    scope: ExportScope, page: ExportPage, card: Card, *, for_book: bool = False
) -> ArticleFile | None:
    """None where there is no article."""
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
