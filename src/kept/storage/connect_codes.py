"""Queries about connect codes: one-time codes for which a browser extension gets its token. Only hashes are stored."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select

from kept.storage.database.engine import Connection
from kept.storage.tables import connect_codes


@dataclass(frozen=True, slots=True)
class ConnectCode:
    user_id: UUID
    challenge: str
    name: str
    """What the token will be called."""
    expires_at: datetime


def insert_code(tx: Connection, code_hash: str, code: ConnectCode) -> None:
    tx.execute(
        connect_codes.insert().values(
            code_hash=code_hash,
            user_id=code.user_id,
            challenge=code.challenge,
            name=code.name,
            expires_at=code.expires_at,
        )
    )


def take_code(tx: Connection, code_hash: str, now: datetime) -> ConnectCode | None:
    """From here on it is used. Two who ask at once: the second deletes no row, and gets None."""
    query = select(connect_codes).where(connect_codes.c.code_hash == code_hash, connect_codes.c.expires_at > now)
    row = tx.execute(query).mappings().one_or_none()
    taken = tx.execute(delete(connect_codes).where(connect_codes.c.code_hash == code_hash)).rowcount == 1
    if row is None or not taken:
        return None
    return ConnectCode(row["user_id"], row["challenge"], row["name"], row["expires_at"])


def delete_expired(tx: Connection, now: datetime) -> None:
    tx.execute(delete(connect_codes).where(connect_codes.c.expires_at <= now))
