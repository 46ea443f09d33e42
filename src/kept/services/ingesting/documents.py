"""Ingesting a PDF, an e-book, an image or a text: its file is kept and its text becomes the article."""

import asyncio
import hashlib
import io
import time
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from typing import BinaryIO, Final
from uuid import UUID

import structlog

from kept.content.article.article import Article, find_page_starts
from kept.content.article.canonical import canonical_text
from kept.content.documents.document import Document, DocumentFailed
from kept.content.documents.recognise import make_title
from kept.content.images.format import BadImage, CleanImage, sniff_image
from kept.content.page.description import PageMetadata
from kept.domain.attempt import AttemptRecord, Failure
from kept.domain.capture import CaptureFormat
from kept.domain.document import CONTENT_TYPES, PROBLEM_CODES, DocumentFacts, DocumentProblem, DocumentType, type_of
from kept.domain.errors import QuotaExceeded
from kept.domain.failures import FailureStage
from kept.domain.job import ClaimedJob
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import IN_FILE, Media
from kept.services.ingesting.articles import FollowUps, ReadArticle, StoredDocument, finish_article
from kept.services.ingesting.attempts import AttemptEnd, EndedAttempt, end_attempt
from kept.services.ingesting.worker import Ingester
from kept.services.pages.files import StoredFileImage, require_room, store_document_file, store_images_in_file
from kept.storage import captures, copies, events
from kept.storage.captures import NewCapture
from kept.storage.database.engine import Connection
from kept.storage.images import folder_of, screenshot_key
from kept.storage.media import find_media, update_media
from kept.storage.queue import queue
from kept.urls.url import NormalisedUrl

NO_ROOM = DocumentFailed(DocumentProblem.TOO_LARGE, "There is no room left for this file.")
BAD_IMAGES: Final = {
    BadImage.NOT_AN_IMAGE: DocumentFailed(DocumentProblem.BROKEN, "This is not an image."),
    BadImage.TOO_MANY_PIXELS: DocumentFailed(DocumentProblem.TOO_LARGE, "This image is too large."),
    BadImage.BROKEN: DocumentFailed(DocumentProblem.BROKEN, "This image is broken."),
}
log = structlog.get_logger("kept.documents")


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document's file, and how it was obtained."""

    file: BinaryIO
    type: DocumentType
    name: str
    url: str
    record: AttemptRecord
    fetched_at: datetime
    canonical_url: NormalisedUrl | None = None
    content_type: str | None = None
    """The content type that its site gives."""
    is_stored: bool = False
    """Whether the file is stored already, because it was uploaded."""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """The file of a document that is to be read."""

    file: BinaryIO
    type: DocumentType
    media_id: UUID
    url: str
    name: str
    content_type: str | None = None
    """The content type that its site gives, for the charset of text."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was read in a process of its own; the images in it are stored."""

    article: Article
    facts: DocumentFacts
    thumbnail_key: str | None
    images: tuple[StoredFileImage, ...] = ()
    cleaned: CleanImage | None = None
    """The image reduced to its pixels, which replaces the file."""


async def ingest_document(ingester: Ingester, job: ClaimedJob, media: Media, document: FoundDocument) -> EndedAttempt:
    """Make an attempt at a document: keep its file, then read it in a process that may crash without harm."""
    started = time.perf_counter()
    is_kept = document.is_stored
    if not is_kept:
        is_kept = await keep_document_file(ingester, job, document.file, _content_type_of(document)) is not None
    read = await read_document(ingester, _describe_file(media, document))
    if isinstance(read, ReadDocument) and read.cleaned is not None:
        read = await _keep_cleaned(ingester, job, read, read.cleaned)
    elif isinstance(read, ReadDocument) and not is_kept:
        read = await _require_no_file(ingester, job, read)
    extract_ms = round((time.perf_counter() - started) * 1000)
    record = replace(document.record, extract_ms=extract_ms, attempt=job.attempt)
    if isinstance(read, DocumentFailed):
        return await end_attempt(ingester, job, _explain(read, record))
    stored = StoredDocument(read.facts, read.thumbnail_key)
    article = ReadArticle(
        read.article, document.canonical_url, record, document.fetched_at, images=read.images, document=stored
    )
    ended = await finish_article(ingester, job, article, FollowUps(ingester.settings.store_images, screenshot=False))
    if ended.end is AttemptEnd.MERGED:
        await _delete_blobs(ingester, media.id)
    return ended


async def _require_no_file(ingester: Ingester, job: ClaimedJob, read: ReadDocument) -> ReadDocument | DocumentFailed:
    """Return `read`, or a failure where a document is useless without its file: a scan, or a new copy of a page."""
    is_copy = await ingester.database.read(copies.is_being_made, job.subject_id)
    return read if read.facts.has_text and not is_copy else NO_ROOM


async def _delete_blobs(ingester: Ingester, media_id: UUID) -> None:
    """Delete the blobs of a media that no longer exists, except those that another media uses now."""
    blobs = ingester.files.blobs
    keys = [key for name in ("images", "pages") for key in await blobs.list(f"{name}/{folder_of(media_id)}")]
    named = await ingester.database.read(captures.find_named, keys)
    for key in {*keys, screenshot_key(media_id)} - named:
        await blobs.delete(key)


def _content_type_of(document: FoundDocument) -> str:
    """Return the content type that the file's bytes show; the site's is not stored."""
    if document.type is not DocumentType.IMAGE:
        return CONTENT_TYPES[document.type]
    image = sniff_image(document.file.read(32))
    document.file.seek(0)
    assert image is not None  # it was recognised by this
    return image.value


def _describe_file(media: Media, document: FoundDocument) -> DocumentFile:
    return DocumentFile(
        document.file, document.type, media.id, document.url, document.name, content_type=document.content_type
    )


async def _keep_cleaned(
    ingester: Ingester, job: ClaimedJob, read: ReadDocument, cleaned: CleanImage
) -> ReadDocument | DocumentFailed:
    """Replace an image's file by the one without metadata, which the article then shows."""
    known_as = await ingester.database.read(_find_digest, job)
    file = io.BytesIO(cleaned.data)
    stored = await keep_document_file(ingester, job, file, cleaned.kind.value, known_as=known_as)
    if stored is None:
        return NO_ROOM
    asset_id = read.article.images[0].id
    return replace(read, images=(StoredFileImage(asset_id, stored.blob_key, cleaned.kind.value, stored.size),))


def _find_digest(tx: Connection, job: ClaimedJob) -> str | None:
    kept = captures.find_capture(tx, job.subject_id, CaptureFormat.DOCUMENT)
    return kept.digest if kept else None


def _explain(failed: DocumentFailed, record: AttemptRecord) -> Failure:
    code = PROBLEM_CODES[failed.problem]
    return Failure(code, failed.message, FailureStage.EXTRACT, failed.is_transient, facts=record)


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
    facts = await asyncio.to_thread(_describe_facts, read)  # half a second for a long book
    return ReadDocument(read.article, facts, key, images)


def _describe_facts(read: Document) -> DocumentFacts:
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
    """Store a thumbnail that the image process makes anew, so that only images are stored."""
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
    """Make an article of one figure, whose image is known by its content: no site is ever asked for it."""
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


async def keep_document_file(
    ingester: Ingester, job: ClaimedJob, file: BinaryIO, content_type: str, *, known_as: str | None = None
) -> NewCapture | None:
    """Keep the file of a document in place of the previous one: the blob first, then its row and the kind of the media.

    Returns None where the user has no room for it. `known_as` is the digest of the file it was made of.
    """
    blobs = ingester.files.blobs
    stored = await store_document_file(blobs, file, job.subject_id, content_type)
    stored = replace(stored, digest=known_as or stored.digest)
    quota = ingester.settings.whole_page_quota_bytes
    try:
        former = await ingester.database.write(_record, job, stored, quota, ingester.now())
    except QuotaExceeded:
        await blobs.delete(stored.blob_key)
        log.warning("documents.no_room", media_id=str(job.subject_id))
        return None
    if former is not None and former != stored.blob_key:
        await blobs.delete(former)
    return stored


def _record(tx: Connection, job: ClaimedJob, stored: NewCapture, quota_bytes: int, now: datetime) -> str | None:
    """Write the row of a document's file; return the key of the file it replaces."""
    media_id, user_id = job.subject_id, job.actor_user_id
    media = find_media(tx, media_id, lock=True)  # before the job: see storage/queue/queue.py
    queue.require_held(tx, job)  # a worker that was away for long must not replace what others have kept
    if media is None or media.processing_status is not ProcessingStatus.EXTRACTING:
        return None
    former = captures.find_capture(tx, media_id, CaptureFormat.DOCUMENT)
    more = stored.size - (former.size if former else 0)
    if user_id is not None and more > 0:
        require_room(tx, user_id, more, quota_bytes)
    captures.put_capture(tx, media_id, stored, user_id, now)
    update_media(tx, media_id, now, kind=type_of(stored.content_type).kind)
    events.publish_event(tx, media_id, "card", now)
    return former.blob_key if former else None
