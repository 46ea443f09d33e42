"""Column types that mean the same on SQLite and PostgreSQL, and the keys and instants that go into them."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import uuid_utils.compat
from sqlalchemy import JSON, DateTime, Dialect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

Json = JSON().with_variant(JSONB(), "postgresql")


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime. SQLite keeps it as text of fixed width, so that comparing text compares time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("an instant needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def new_id() -> UUID:
    """A UUIDv7: later keys sort after earlier ones, so that inserts stay at the end of every index."""
    return uuid_utils.compat.uuid7()


def new_media_id() -> UUID:
    """Random: a media is shared by people who need not know of each other, and a UUIDv7 would tell the second one
    to the millisecond when the first one saved it."""
    return uuid4()


def utc_now() -> datetime:
    return datetime.now(UTC)
