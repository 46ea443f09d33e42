"""One of the viewer's own highlights."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.highlight import Highlight
from kept.services.highlights.get_own_highlight import get_own_highlight
from kept.storage.database.engine import Connection


def get_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> Highlight:
    return get_own_highlight(tx, viewer, highlight_id)
