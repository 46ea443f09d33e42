"""What is known of the document an item is. For a unit of work."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.capture import Capture, CaptureFormat
from kept.domain.document import DocumentFacts, hands_out_file
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.services.pages.cards import get_card
from kept.storage import captures, documents
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class KeptDocument:
    card: Card
    facts: DocumentFacts | None
    """None where it could not be read, or was not yet."""
    file: Capture | None
    """None where there was no room for it, or it is not to be handed out."""


def get_document(tx: Connection, viewer: Viewer, item_id: UUID) -> KeptDocument:
    """NotFound where the item is no document, or the viewer cannot see it."""
    card = get_card(tx, viewer, item_id)
    if not card.media.is_document:
        raise NotFound("This item is not a document.")
    is_open = hands_out_file(card.media)
    file = captures.find_capture(tx, card.media.id, CaptureFormat.DOCUMENT) if is_open else None
    return KeptDocument(card, documents.find_document(tx, card.media.id), file)
