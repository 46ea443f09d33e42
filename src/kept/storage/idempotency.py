"""Remembered answers: a client that sends the same request twice, with the same key, gets the first one's answer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update

from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import idempotency_keys


@dataclass(frozen=True, slots=True)
class Remembered:
    request_hash: str
    status: int | None
    answer: Any
    created_at: datetime


def reserve(tx: Connection, user_id: UUID, key: str, request_hash: str, now: datetime) -> bool:
    """Reserve a key; return whether it was free."""
    insert = upsert(tx, idempotency_keys).values(user_id=user_id, key=key, request_hash=request_hash, created_at=now)
    # It returns what it wrote: SQLAlchemy has no row count of an INSERT on PostgreSQL.
    made = tx.execute(insert.on_conflict_do_nothing().returning(idempotency_keys.c.key))
    return made.first() is not None


def find(tx: Connection, user_id: UUID, key: str) -> Remembered | None:
    query = select(idempotency_keys).where(idempotency_keys.c.user_id == user_id, idempotency_keys.c.key == key)
    row = tx.execute(query).mappings().one_or_none()
    return Remembered(row["request_hash"], row["status"], row["answer"], row["created_at"]) if row else None


def remember(tx: Connection, user_id: UUID, key: str, status: int, answer: Any) -> None:
    own = (idempotency_keys.c.user_id == user_id, idempotency_keys.c.key == key)
    tx.execute(update(idempotency_keys).where(*own).values(status=status, answer=answer))


def forget(tx: Connection, user_id: UUID, key: str) -> None:
    own = (idempotency_keys.c.user_id == user_id, idempotency_keys.c.key == key)
    tx.execute(delete(idempotency_keys).where(*own))


def forget_older_than(tx: Connection, then: datetime) -> None:
    tx.execute(delete(idempotency_keys).where(idempotency_keys.c.created_at < then))
