"""Get one of the viewer's own highlights. For a transaction of the caller's."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.highlight import Highlight
from kept.storage import highlights
from kept.storage.database.engine import Connection


def get_own_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> Highlight:
    """NotFound for somebody else's, for one of a page the viewer may no longer see, and for what is not there alike."""
    found = highlights.find_highlight(tx, highlight_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found
