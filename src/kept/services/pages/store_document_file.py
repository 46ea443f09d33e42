"""Store the file of a document as a blob; its row is for the caller to write."""

import asyncio
import hashlib
from dataclasses import replace
from typing import BinaryIO, Final
from uuid import UUID

from kept.domain.capture import CaptureFormat
from kept.domain.document import EXTENSIONS
from kept.services.pages.store_capture_file import store_capture_file
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture, document_key

PIECE_BYTES: Final = 1024 * 1024


async def store_document_file(blobs: BlobStore, file: BinaryIO, media_id: UUID, content_type: str) -> NewCapture:
    """The same file of the same media has the same key each time: what is begun twice leaves nothing behind."""
    digest = await asyncio.to_thread(_digest, file)
    key = document_key(media_id, digest, EXTENSIONS[content_type])
    stored = await store_capture_file(blobs, key, file, CaptureFormat.DOCUMENT, content_type)
    file.seek(0)
    return replace(stored, digest=digest)


def _digest(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while piece := file.read(PIECE_BYTES):
        digest.update(piece)
    return digest.hexdigest()
