"""Read the file of a document, in a process of its own; what came with it is stored."""

import asyncio
import hashlib
from dataclasses import dataclass
from html import escape
from typing import BinaryIO, Final
from uuid import UUID

from kept.content.article.article import Article
from kept.content.article.canonical import canonical_text
from kept.content.article.pages import find_page_starts
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.file_name import make_title
from kept.content.images.outcomes import BadImage, CleanImage
from kept.content.page.description import PageMetadata
from kept.domain.document import DocumentFacts, DocumentProblem, DocumentType
from kept.domain.images import IN_FILE
from kept.services.ingesting.ingester import Ingester
from kept.services.pages.files import StoredFileImage, store_images_in_file
from kept.storage.images import screenshot_key

BAD_IMAGES: Final = {
    BadImage.NOT_AN_IMAGE: DocumentFailed(DocumentProblem.BROKEN, "This is not an image."),
    BadImage.TOO_MANY_PIXELS: DocumentFailed(DocumentProblem.TOO_LARGE, "This image is too large."),
    BadImage.BROKEN: DocumentFailed(DocumentProblem.BROKEN, "This image is broken."),
}


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file to be read."""

    file: BinaryIO
    type: DocumentType
    media_id: UUID
    url: str
    name: str
    content_type: str | None = None
    """As its site calls it: for the charset of text."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    article: Article
    facts: DocumentFacts
    thumbnail_key: str | None
    images: tuple[StoredFileImage, ...] = ()
    cleaned: CleanImage | None = None
    """An image without anything but its pixels, to be kept in the place of the file."""


async def read_document(ingester: Ingester, wanted: DocumentFile) -> ReadDocument | DocumentFailed:
    if wanted.type is DocumentType.IMAGE:
        return await _read_image(ingester, wanted)
    async with ingester.documents.start(wanted.file) as reader:
        read = await reader.read(
            wanted.type,
            url=wanted.url,
            media_id=wanted.media_id,
            file_name=wanted.name or None,
            content_type=wanted.content_type,
        )
        if isinstance(read, DocumentFailed):
            return read
        refs = [(image.id, image.origin_url) for image in read.article.images]
        refs = [(asset_id, url) for asset_id, url in refs if url.startswith(IN_FILE)]
        images = await store_images_in_file(ingester.files, reader, wanted.media_id, refs, ingester.settings)
    key = await _store_thumbnail(ingester, wanted.media_id, read.thumbnail)
    facts = await asyncio.to_thread(_describe, read)  # half a second for a long book
    return ReadDocument(read.article, facts, key, images)


def _describe(read: Document) -> DocumentFacts:
    return DocumentFacts(
        type=read.type,
        page_count=read.page_count,
        page_sizes=read.page_sizes,
        page_starts=find_page_starts(read.article.html),
        outline=read.outline,
        running_text=read.running_text,
        has_text=read.has_text,
        is_cut=read.is_cut,
    )


async def _store_thumbnail(ingester: Ingester, media_id: UUID, data: bytes | None) -> str | None:
    """Made anew by the image process, which stores only images."""
    made = await ingester.files.images.shrink(data) if data is not None else BadImage.NOT_AN_IMAGE
    if isinstance(made, BadImage):
        return None
    key = screenshot_key(media_id)
    await ingester.files.blobs.put(key, made.data, made.kind)
    return key


# --- images ---------------------------------------------------------------------------------------------------------


async def _read_image(ingester: Ingester, wanted: DocumentFile) -> ReadDocument | DocumentFailed:
    wanted.file.seek(0)
    data = await asyncio.to_thread(wanted.file.read)
    made = await ingester.files.images.clean(data)
    if isinstance(made, BadImage):
        return BAD_IMAGES[made]
    article = _compose(wanted, made)
    key = await _store_thumbnail(ingester, wanted.media_id, made.data)
    facts = DocumentFacts(DocumentType.IMAGE, 0, (), (), (), "", has_text=False, is_cut=False)
    return ReadDocument(article, facts, key, cleaned=made)


def _compose(wanted: DocumentFile, made: CleanImage) -> Article:
    """One figure; the image is known by its content, and no site is ever asked for it."""
    # here alone: a worker that meets no image does without the sanitiser
    from kept.content.article.sanitise import SanitiseFailed, sanitise_article

    title = make_title(wanted.name)
    source = f"{IN_FILE}{hashlib.sha256(made.data).hexdigest()[:40]}"
    html = f'<figure><img src="{source}" alt="{escape(title or "")}"></figure>'
    safe = sanitise_article(html, base_url=wanted.url, canonical_url=wanted.url, media_id=wanted.media_id)
    if isinstance(safe, SanitiseFailed):
        raise RuntimeError(f"an image of our own could not be written: {safe.reason}")
    text, said = canonical_text(safe.html), PageMetadata(title=title, base_url=wanted.url)
    return Article(title, None, None, None, None, None, 0, safe.html, text, safe.images, said)
