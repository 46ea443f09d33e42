"""Queries about undo batches: how to take back what a user changed, for as long as that is offered."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select

from kept.domain.item import ItemUndo
from kept.storage.database.engine import Connection
from kept.storage.tables import undo_batches


def insert_batch(tx: Connection, batch_id: UUID, user_id: UUID, changes: Sequence[ItemUndo], now: datetime) -> None:
    written = [write_undo(change) for change in changes]
    tx.execute(undo_batches.insert().values(id=batch_id, user_id=user_id, changes=written, created_at=now))


def take_batch(tx: Connection, batch_id: UUID, user_id: UUID) -> list[ItemUndo] | None:
    """None where this user has no such batch; from here on it is no longer remembered."""
    own = (undo_batches.c.id == batch_id, undo_batches.c.user_id == user_id)
    changes = tx.scalar(select(undo_batches.c.changes).where(*own))
    tx.execute(delete(undo_batches).where(*own))
    return None if changes is None else [parse_undo(change) for change in changes]


def forget_before(tx: Connection, then: datetime) -> None:
    tx.execute(delete(undo_batches).where(undo_batches.c.created_at < then))


def write_undo(undo: ItemUndo) -> dict[str, object]:
    reading = {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in undo.reading.items()
    }
    return {
        "item": str(undo.item_id),
        "reading": reading,
        "add_tags": list(undo.add_tags),
        "remove_tags": list(undo.remove_tags),
        "library": str(undo.library_id) if undo.library_id else None,
    }


def parse_undo(row: dict[str, object]) -> ItemUndo:
    match row:
        case {
            "item": str(item),
            "reading": dict(reading),
            "add_tags": list(added),
            "remove_tags": list(removed),
            "library": library,
        }:
            read_at = reading.get("read_at")
            if isinstance(read_at, str):
                reading = {**reading, "read_at": datetime.fromisoformat(read_at)}
            library_id = UUID(library) if isinstance(library, str) else None
            return ItemUndo(UUID(item), reading, tuple(added), tuple(removed), library_id)
    raise ValueError("not an undo of an item")
