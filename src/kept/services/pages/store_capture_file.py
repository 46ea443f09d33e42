"""Store a file of a page or a document as a blob; its row is for the caller to write."""

import os
from typing import BinaryIO

from kept.domain.capture import CaptureFormat
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import NewCapture


async def store_capture_file(
    blobs: BlobStore, key: str, file: BinaryIO, capture_format: CaptureFormat, content_type: str
) -> NewCapture:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    await blobs.put_file(key, file, content_type)
    return NewCapture(capture_format, key, content_type, size)
