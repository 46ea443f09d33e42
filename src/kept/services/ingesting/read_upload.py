"""The article of a page that somebody uploaded as a file: from that file alone, without any fetch."""

from dataclasses import dataclass
from uuid import UUID

from kept.content.article.article import Article, ExtractFailed, Page
from kept.domain.capture import Capture
from kept.domain.errors import PageUnreadable, TooLarge
from kept.domain.failures import FailureCode
from kept.domain.media import Media
from kept.services.ingesting.ingester import Ingester
from kept.services.pages.files import StoredFileImage, store_images_in_file, store_static_page
from kept.storage import captures
from kept.storage.images import page_images
from kept.subprocesses.page_reader import PageReader

GONE = "The uploaded file of this page is gone."


@dataclass(frozen=True, slots=True)
class ReadUpload:
    article: Article
    images: tuple[StoredFileImage, ...]


async def read_upload(
    ingester: Ingester, found: Media, upload: Capture, user_id: UUID | None
) -> ReadUpload | ExtractFailed:
    """The static page that shows it whole is made and stored on the way, whatever becomes of the article."""
    file = await ingester.files.blobs.open(upload.blob_key)
    if file is None:
        return ExtractFailed(FailureCode.INGEST_FAILED, GONE)
    with file:
        try:
            async with ingester.files.readers.start(file) as reader:
                return await _read(ingester, reader, found, user_id)
        except (PageUnreadable, TooLarge) as error:
            return ExtractFailed(FailureCode.EXTRACT_NO_CONTENT, error.message)


async def _read(
    ingester: Ingester, reader: PageReader, found: Media, user_id: UUID | None
) -> ReadUpload | ExtractFailed:
    await reader.open(found.source_url)
    static = await store_static_page(ingester.files, reader, found.id)
    if static is not None:
        await ingester.database.write(captures.put_capture, found.id, static, user_id, ingester.now())
    document = await reader.read_document()
    page = Page(document.html, document.base_url, found.id, "text/html; charset=utf-8", 200, is_upload=True)
    extracted = await ingester.pages.extract(page)
    if isinstance(extracted, ExtractFailed):
        return extracted
    said = extracted.metadata
    wanted = page_images(found.id, said.preview_image_url, said.favicon_url)
    wanted += [(image.id, image.origin_url) for image in extracted.images]
    images = await store_images_in_file(ingester.files, reader, found.id, wanted, ingester.settings)
    return ReadUpload(extracted, images)
