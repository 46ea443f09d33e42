"""The id behind an app's number."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.synced import NumberKind
from kept.services.syncing.resolve_number import resolve_number
from kept.storage.database.engine import Connection


def find_by_number(tx: Connection, viewer: Viewer, kind: NumberKind, number: int) -> UUID:
    """NotFound for what is not the viewer's to see."""
    return resolve_number(tx, viewer, kind, number)
