"""One of the viewer's own highlights."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.highlight import Highlight
from kept.services.highlights.get_own_highlight import get_own_highlight
from kept.storage.database.engine import Database


async def get_highlight(database: Database, viewer: Viewer, highlight_id: UUID) -> Highlight:
    return await database.read(get_own_highlight, viewer, highlight_id)
