"""Queries about the keys that image links are signed with: one for each person, made when it is first needed."""

from uuid import UUID

from sqlalchemy import select

from kept.domain.account import User
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import image_link_keys, users
from kept.storage.users import USER_COLUMNS, user_from


def find_key(tx: Connection, user_id: UUID) -> str | None:
    return tx.scalar(select(image_link_keys.c.key).where(image_link_keys.c.user_id == user_id))


def find_user_and_key(tx: Connection, user_id: UUID) -> tuple[User, str] | None:
    query = select(*USER_COLUMNS, image_link_keys.c.key).join(users, users.c.id == image_link_keys.c.user_id)
    row = tx.execute(query.where(users.c.id == user_id)).mappings().one_or_none()
    return (user_from(row), row["key"]) if row else None


def put_key(tx: Connection, user_id: UUID, key: str) -> str:
    """The key that is there afterwards: another process may have been first."""
    tx.execute(upsert(tx, image_link_keys).values(user_id=user_id, key=key).on_conflict_do_nothing())
    found = find_key(tx, user_id)
    assert found is not None
    return found
