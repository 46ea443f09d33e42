"""Say whether a copy of the whole page is kept of everything that is saved in a library."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.library import Library
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def set_captures_pages(tx: Connection, viewer: Viewer, library_id: UUID, *, wanted: bool, now: datetime) -> Library:
    get_managed_library(tx, viewer, library_id)
    libraries.set_captures_pages(tx, library_id, wanted, now)
    return get_managed_library(tx, viewer, library_id)
