"""Delete a shared library with its items. What others keep of the same pages stays theirs."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.library import require_shared
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def delete_library(tx: Connection, viewer: Viewer, library_id: UUID) -> None:
    require_shared(get_managed_library(tx, viewer, library_id))
    libraries.delete_library(tx, library_id)
