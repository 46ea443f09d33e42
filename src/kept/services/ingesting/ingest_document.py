"""The attempt at a document: its file is kept, then read. Whatever it does to the process that reads it, it ends."""

import io
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO
from uuid import UUID

from kept.content.documents.document import DocumentFailed
from kept.content.images.format import sniff_image
from kept.content.images.outcomes import CleanImage
from kept.domain.attempt import AttemptRecord, Failure
from kept.domain.capture import CaptureFormat
from kept.domain.document import CONTENT_TYPES, PROBLEM_CODES, DocumentProblem, DocumentType
from kept.domain.failures import FailureStage
from kept.domain.job import ClaimedJob
from kept.domain.media import Media
from kept.services.ingesting.end_attempt import EndedAttempt, end_attempt
from kept.services.ingesting.finish_article import finish_article
from kept.services.ingesting.ingester import Ingester
from kept.services.ingesting.keep_document_file import keep_document_file
from kept.services.ingesting.read_document import DocumentFile, ReadDocument, read_document
from kept.services.ingesting.store_article import FollowUps, ReadArticle, StoredDocument
from kept.services.pages.files import StoredFileImage
from kept.storage import captures, copies
from kept.storage.database.engine import Connection
from kept.storage.images import folder_of, screenshot_key
from kept.urls.url import NormalisedUrl

NO_ROOM = DocumentFailed(DocumentProblem.TOO_LARGE, "There is no room left for this file.")


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A file, and how we came by it."""

    file: BinaryIO
    type: DocumentType
    name: str
    url: str
    record: AttemptRecord
    fetched_at: datetime
    canonical_url: NormalisedUrl | None = None
    content_type: str | None = None
    """As its site calls it."""
    is_stored: bool = False
    """It was uploaded."""


async def ingest_document(
    ingester: Ingester, job: ClaimedJob, found: Media, document: FoundDocument
) -> str | EndedAttempt:
    started = time.perf_counter()
    is_kept = document.is_stored
    if not is_kept:
        is_kept = await keep_document_file(ingester, job, document.file, _content_type_of(document)) is not None
    read = await read_document(ingester, _describe(found, document))
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
    if ended == "merged":
        await _delete_blobs(ingester, found.id)
    return ended


async def _require_no_file(ingester: Ingester, job: ClaimedJob, read: ReadDocument) -> ReadDocument | DocumentFailed:
    """Without its file there is nothing to see of a scan, and a new copy would be less than the one it replaces."""
    is_copy = await ingester.database.read(copies.is_being_made, job.subject_id)
    return read if read.facts.has_text and not is_copy else NO_ROOM


async def _delete_blobs(ingester: Ingester, media_id: UUID) -> None:
    """Of a media that is no more: nobody's quota counts them. Those of a whole page may be another media's now."""
    blobs = ingester.files.blobs
    keys = [key for name in ("images", "pages") for key in await blobs.list(f"{name}/{folder_of(media_id)}")]
    named = await ingester.database.read(captures.find_named, keys)
    for key in {*keys, screenshot_key(media_id)} - named:
        await blobs.delete(key)


def _content_type_of(document: FoundDocument) -> str:
    """By its bytes; what its site says is not stored."""
    if document.type is not DocumentType.IMAGE:
        return CONTENT_TYPES[document.type]
    image = sniff_image(document.file.read(32))
    document.file.seek(0)
    assert image is not None  # it was recognised by this
    return image.value


def _describe(found: Media, document: FoundDocument) -> DocumentFile:
    return DocumentFile(
        document.file, document.type, found.id, document.url, document.name, content_type=document.content_type
    )


async def _keep_cleaned(
    ingester: Ingester, job: ClaimedJob, read: ReadDocument, cleaned: CleanImage
) -> ReadDocument | DocumentFailed:
    """The file with its metadata goes; the article shows the one that stays."""
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
