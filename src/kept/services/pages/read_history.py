"""A media's history, told so that nobody learns of anybody else."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.history import Line, tell_history
from kept.services.pages.get_visible_media import get_visible_media
from kept.storage import articles, lifecycles
from kept.storage.database.engine import Connection


def read_history(tx: Connection, viewer: Viewer, media_id: UUID) -> list[Line]:
    found = get_visible_media(tx, viewer, media_id)
    return tell_history(
        lifecycles.list_transitions(tx, found.id),
        viewer_id=viewer.user_id,
        known_since=articles.find_known_since(tx, found.id, viewer.user_id),
        is_shared=articles.is_held_elsewhere(tx, found.id, viewer.user_id),
    )
