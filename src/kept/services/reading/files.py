"""Files of an item that a viewer may open: whole pages, originals and documents."""

from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.document import DocumentFacts, hands_out_file
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.services.items.copying import list_captures
from kept.services.pages.cards import get_card
from kept.storage import captures
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Connection, Database
from kept.storage.media import find_document

NO_FILE = "The file of this document is not kept."


@dataclass(frozen=True, slots=True)
class OpenedCapture:
    capture: Capture
    card: Card
    file: BinaryIO
    """The open file, which whoever asked for it closes."""


@dataclass(frozen=True, slots=True)
class KeptDocument:
    card: Card
    facts: DocumentFacts | None
    """What was read of it; None where it could not be read, or was not read yet."""
    file: Capture | None
    """The file; None where there was no room for it, or it is not to be handed out."""


async def open_capture(
    database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID, wanted: CaptureFormat
) -> OpenedCapture:
    """Open a file of an item's whole page. NotFound is raised where there is none or the item cannot be seen."""
    page = await database.read(list_captures, viewer, item_id)
    found = page.find(wanted)
    file = await blobs.open(found.blob_key) if found is not None else None
    if found is None or file is None:
        raise NotFound("There is no such copy of this page.")
    return OpenedCapture(found, page.card, file)


async def open_original(database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID) -> OpenedCapture:
    """Open the HTML file of a page as its owner uploaded it, to be downloaded: it is never shown.

    NotFound is raised for everybody else, because the file may hold parts of the owner's session.
    """
    page = await database.read(list_captures, viewer, item_id)
    file = await blobs.open(page.original.blob_key) if page.original is not None else None
    if page.original is None or file is None:
        raise NotFound
    return OpenedCapture(page.original, page.card, file)


def get_document(tx: Connection, viewer: Viewer, item_id: UUID) -> KeptDocument:
    """Return what is known of the document that an item is.

    NotFound is raised where the item is no document, or the viewer cannot see it.
    """
    card = get_card(tx, viewer, item_id)
    if not card.media.is_document:
        raise NotFound("This item is not a document.")
    is_open = hands_out_file(card.media)
    file = captures.find_capture(tx, card.media.id, CaptureFormat.DOCUMENT) if is_open else None
    return KeptDocument(card, find_document(tx, card.media.id), file)


async def open_document(database: Database, blobs: BlobStore, viewer: Viewer, item_id: UUID) -> OpenedCapture:
    """Open the file of a document. An image is available once it was made safe.

    NotFound is raised where there is none, or the viewer cannot see the item.
    """
    document = await database.read(get_document, viewer, item_id)
    file = await blobs.open(document.file.blob_key) if document.file is not None else None
    if document.file is None or file is None:
        raise NotFound(NO_FILE)
    return OpenedCapture(document.file, document.card, file)


def read_facts(tx: Connection, viewer: Viewer, item_id: UUID) -> KeptDocument:
    """Return what is known of a document, for one viewer."""
    return get_document(tx, viewer, item_id)
