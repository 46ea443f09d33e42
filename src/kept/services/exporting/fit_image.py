"""An image for a file: as it is stored, or in a format that readers of e-books know."""

from kept.content.export_formats.article_file import EmbeddedImage
from kept.content.export_formats.epub_file import CORE_FORMATS
from kept.content.images.format import ImageFormat
from kept.content.images.outcomes import BadImage
from kept.services.images.store import ImageStore, StoredImage


async def fit_image(store: ImageStore, stored: StoredImage, *, for_book: bool) -> EmbeddedImage | None:
    if for_book and stored.content_type not in CORE_FORMATS:
        made = await store.pool.convert(stored.data)
        return None if isinstance(made, BadImage) else EmbeddedImage(made.data, made.kind)
    return EmbeddedImage(stored.data, ImageFormat(stored.content_type))
