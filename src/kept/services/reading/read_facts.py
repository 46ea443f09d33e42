"""What is known of a document, for one viewer."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.reading.get_document import KeptDocument, get_document
from kept.storage.database.engine import Database


async def read_facts(database: Database, viewer: Viewer, item_id: UUID) -> KeptDocument:
    return await database.read(get_document, viewer, item_id)
