"""What is known of a document, for one viewer."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.reading.get_document import KeptDocument, get_document
from kept.storage.database.engine import Connection


def read_facts(tx: Connection, viewer: Viewer, item_id: UUID) -> KeptDocument:
    return get_document(tx, viewer, item_id)
