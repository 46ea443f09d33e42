"""The id behind an app's number."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.synced import NumberKind
from kept.services.syncing.resolve_number import resolve_number
from kept.storage.database.engine import Database


async def find_by_number(database: Database, viewer: Viewer, kind: NumberKind, number: int) -> UUID:
    """NotFound for what is not the viewer's to see."""
    return await database.read(resolve_number, viewer, kind, number)
