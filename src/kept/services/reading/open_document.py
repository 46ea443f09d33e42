"""The file of a document, to be read."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.services.reading.get_document import get_document
from kept.services.reading.open_capture import OpenedCapture
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database

NO_FILE = "The file of this document is not kept."


async def open_document(database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID) -> OpenedCapture:
    """NotFound where there is none, or the viewer cannot see the item. An image is there once it was made safe."""
    found = await database.read(get_document, viewer, item_id)
    file = await blobs.open(found.file.blob_key) if found.file is not None else None
    if found.file is None or file is None:
        raise NotFound(NO_FILE)
    return OpenedCapture(found.file, found.card, file)
