"""Rename a library."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer, parse_display_name
from kept.domain.library import Library
from kept.services.libraries.get_managed_library import get_managed_library
from kept.storage import libraries
from kept.storage.database.engine import Connection


def rename_library(tx: Connection, viewer: Viewer, library_id: UUID, *, name: str, now: datetime) -> Library:
    return _rename_library(tx, viewer, library_id, parse_display_name(name, "A library's name"), now)


def _rename_library(tx: Connection, viewer: Viewer, library_id: UUID, name: str, now: datetime) -> Library:
    get_managed_library(tx, viewer, library_id)
    libraries.rename_library(tx, library_id, name, now)
    return get_managed_library(tx, viewer, library_id)
