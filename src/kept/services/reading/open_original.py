"""The HTML file of a page as its owner uploaded it, to be downloaded: it is never shown."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.services.items.copying import list_captures
from kept.services.reading.open_capture import OpenedCapture
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database


async def open_original(database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID) -> OpenedCapture:
    """NotFound for everybody but who uploaded it: what it holds beside the page may be of their session."""
    page = await database.read(list_captures, viewer, item_id)
    file = await blobs.open(page.original.blob_key) if page.original is not None else None
    if page.original is None or file is None:
        raise NotFound
    return OpenedCapture(page.original, page.card, file)
