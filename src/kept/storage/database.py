"""The database: one writer and several readers on SQLite, a pool on PostgreSQL; transactions as units of work.

`async with database.write() as tx:` commits at the end and rolls back on any exception. On SQLite every write
transaction begins IMMEDIATE: a deferred one that reads first and writes later fails with "database is locked"
whenever another process wrote in between.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import event, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from kept.domain.errors import OperatorError

Durability = Literal["full", "normal"]

SQLITE_READERS: Final = 4
POSTGRESQL_POOL: Final = 10
BUSY_TIMEOUT_MS: Final = 5000


class DatabaseUnreachable(OperatorError):
    """The database cannot be opened; the message says which and why, without its password."""


class Database:
    """Hands out transactions. `durability` is full where an answer must survive a power cut, normal in workers."""

    def __init__(self, url: str, *, durability: Durability = "full") -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            prepare_sqlite_folder(self.url.database)
            self._writer = create_sqlite_engine(url, durability, writes=True)
            self._reader = create_sqlite_engine(url, durability, writes=False)
        else:
            self._writer = self._reader = create_postgresql_engine(url)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        async with self._writer.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read with. On SQLite it cannot write and never waits for the writer."""
        async with self._reader.connect() as connection:
            yield connection

    async def check(self) -> None:
        try:
            async with self.read() as connection:
                await connection.execute(text("SELECT 1"))
        except (DBAPIError, OSError) as error:
            raise DatabaseUnreachable(explain_unreachable(self.url.render_as_string(), error)) from None

    async def close(self) -> None:
        await self._writer.dispose()
        await self._reader.dispose()


def explain_unreachable(shown_url: str, error: Exception) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    return f"cannot open the database {shown_url}: {cause.strip().splitlines()[0]}"


def prepare_sqlite_folder(database: str | None) -> None:
    if database and database != ":memory:":
        folder = Path(database).parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseUnreachable(f"cannot make the folder {folder}: {error.strerror}") from None


def create_postgresql_engine(url: str) -> AsyncEngine:
    return create_async_engine(url, pool_size=POSTGRESQL_POOL, max_overflow=0, pool_pre_ping=True)


def create_sqlite_engine(url: str, durability: Durability, *, writes: bool) -> AsyncEngine:
    engine = create_async_engine(
        make_url(url).set(drivername="sqlite+aiosqlite"),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=1 if writes else SQLITE_READERS,
        max_overflow=0,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def set_pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
        apply_pragmas(connection.cursor(), durability, writes=writes)

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def apply_pragmas(cursor: Any, durability: Durability, *, writes: bool) -> None:
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute(f"PRAGMA synchronous = {durability.upper()}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA recursive_triggers = ON")  # else REPLACE deletes behind the triggers' back
    if not writes:
        cursor.execute("PRAGMA query_only = ON")
    cursor.close()


__all__ = ["AsyncConnection", "Database", "DatabaseUnreachable", "Durability"]
