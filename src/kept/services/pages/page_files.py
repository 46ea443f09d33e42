"""What working with files of pages needs; made once by the wiring."""

from dataclasses import dataclass

from kept.storage.blobs.store import BlobStore
from kept.subprocesses.image_pool import ImagePool
from kept.subprocesses.page_reader import PageReaders


@dataclass(frozen=True, slots=True)
class PageFiles:
    blobs: BlobStore
    readers: PageReaders
    images: ImagePool
