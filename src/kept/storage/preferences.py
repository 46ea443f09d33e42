"""Queries about what people prefer."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from sqlalchemy import select

from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import preferences


def find_preferences(tx: Connection, user_id: UUID) -> Mapping[str, object]:
    query = select(preferences.c["values"]).where(preferences.c.user_id == user_id)
    return tx.execute(query).scalar_one_or_none() or {}


def put_preferences(tx: Connection, user_id: UUID, values: Mapping[str, object], now: datetime) -> None:
    columns = {"values": dict(values), "updated_at": now}
    insert = upsert(tx, preferences).values(user_id=user_id, **columns)
    tx.execute(insert.on_conflict_do_update(index_elements=["user_id"], set_=columns))
