"""Get a media for one viewer."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.media import Media
from kept.storage import media
from kept.storage.database.engine import Connection


def get_visible_media(tx: Connection, viewer: Viewer, media_id: UUID) -> Media:
    """By way of a merge, if need be; NotFound for what the viewer may not see and for what is not there alike."""
    found = media.find_visible_media(tx, media_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found
