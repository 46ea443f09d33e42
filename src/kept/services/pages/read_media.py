"""A media as one viewer may see it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.services.pages.get_visible_media import get_visible_media
from kept.services.pages.view_media import SeenMedia, view_media
from kept.storage.database.engine import Connection


def read_media(tx: Connection, viewer: Viewer, media_id: UUID) -> SeenMedia:
    return view_media(tx, viewer, get_visible_media(tx, viewer, media_id))
