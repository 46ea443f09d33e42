"""Column types that mean the same on SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import JSON, DateTime, Dialect
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

Json: Final[TypeEngine[Any]] = JSON().with_variant(JSONB(), "postgresql")


class SqliteInstant(sqlite.DATETIME):
    """Instants as the text that SQLAlchemy writes too, but formatted faster."""

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], str | None]:
        return lambda time: time.isoformat(" ", "microseconds").removesuffix("+00:00") if time else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[str | None], datetime | None]:
        return lambda text: datetime.fromisoformat(text) if text else None


SQLITE_INSTANT: Final[TypeEngine[Any]] = SqliteInstant()  # type: ignore[no-untyped-call]


class Instant(TypeDecorator[datetime]):
    """An aware UTC datetime. SQLite keeps it as text of fixed width, so that comparing text compares time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(SQLITE_INSTANT if dialect.name == "sqlite" else self.impl_instance)

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
