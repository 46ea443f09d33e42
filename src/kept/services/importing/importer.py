"""What importing needs; made once by the wiring."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from kept.clock import utc_now
from kept.config import Settings
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.subprocesses.image_pool import ImagePool
from kept.subprocesses.import_reader import ImportReaders


@dataclass(frozen=True, slots=True)
class Importer:
    database: Database
    blobs: BlobStore
    settings: Settings
    images: ImagePool
    readers: ImportReaders
    now: Callable[[], datetime] = utc_now
