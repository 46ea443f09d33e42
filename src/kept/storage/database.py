"""The database: one writer and several readers on SQLite, a pool on PostgreSQL; transactions as units of work.

`async with database.write() as tx:` commits at the end and rolls back on any exception. On SQLite every write
transaction begins IMMEDIATE: a deferred one that reads first and writes later fails with "database is locked"
whenever another process wrote in between.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import event, make_url, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from kept.domain.errors import OperatorError
from kept.storage import sqlite_driver
from kept.storage.sqlite_driver import Durability

SQLITE_READERS: Final = 4
POSTGRESQL_POOL: Final = 10
# Its other operational errors are wrong SQL, which no second try puts right.
SQLITE_OUTAGES: Final = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")


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


def is_outage(error: BaseException) -> bool:
    """The database was away, busy or full: nobody's fault who used it, and worth trying again."""
    if not isinstance(error, (OperationalError, InterfaceError, PoolTimeout)):
        return False
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", None)
    return name is None or name.startswith(SQLITE_OUTAGES)


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
    return create_async_engine(url, pool_size=POSTGRESQL_POOL, max_overflow=0, pool_pre_ping=True, hide_parameters=True)


def create_sqlite_engine(url: str, durability: Durability, *, writes: bool) -> AsyncEngine:
    path = make_url(url).database or ":memory:"
    engine = create_async_engine(
        make_url(url).set(drivername="sqlite+aiosqlite"),
        async_creator=lambda *_, **__: sqlite_driver.connect(path, durability, writes=writes),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=1 if writes else SQLITE_READERS,
        max_overflow=0,
        hide_parameters=True,  # an error's message goes into logs; people's links do not
    )

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


__all__ = ["AsyncConnection", "Database", "DatabaseUnreachable", "Durability", "is_outage"]
