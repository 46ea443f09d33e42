"""A file of an item's whole page, to be read."""

from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.services.items.copying import list_captures
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database


@dataclass(frozen=True, slots=True)
class OpenedCapture:
    capture: Capture
    card: Card
    file: BinaryIO
    """Whoever asked closes it."""


async def open_capture(
    database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID, wanted: CaptureFormat
) -> OpenedCapture:
    """NotFound where there is none, or the viewer cannot see the item."""
    page = await database.read(list_captures, viewer, item_id)
    found = page.find(wanted)
    file = await blobs.open(found.blob_key) if found is not None else None
    if found is None or file is None:
        raise NotFound("There is no such copy of this page.")
    return OpenedCapture(found, page.card, file)
