"""The database: one writer and several readers on SQLite, a pool on PostgreSQL; transactions as units of work.

`async with database.write() as tx:` commits at the end and rolls back on any exception. On SQLite every write
transaction begins IMMEDIATE: a deferred one that reads first and writes later fails with "database is locked"
whenever another process wrote in between.

SQLite's connections are opened once and stay with us: to take one from SQLAlchemy's pool and give it back costs more
than most of what is done with it (`docs/decisions/0003-prepared-statements.md`).
"""

import asyncio
import errno
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from sqlalchemy import Dialect, make_url, text
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from kept.domain.errors import LostRace, OperatorError
from kept.storage.blobs.store import BlobsAway, write_probe
from kept.storage.database import sqlite_driver
from kept.storage.database.sqlite_driver import Durability

T = TypeVar("T")

SQLITE_READERS: Final = 4
WAIT_SECONDS: Final = 30.0
POSTGRESQL_POOL: Final = 10
# Two may insert one new address at once; the loser looks again and finds it, unless it goes very badly.
MAX_RACES: Final = 5
DEADLOCK: Final = "40P01"  # PostgreSQL's word for it
# Its other operational errors are wrong SQL, which no second try puts right.
SQLITE_OUTAGES: Final = tuple(f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"))
FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


class DatabaseUnreachable(OperatorError):
    """The database cannot be opened; the message says which and why, without its password."""


class DatabaseReadOnly(DatabaseUnreachable):
    """The database can be read and not written: its disk is full, or read-only."""


class Database:
    """Hands out transactions. `durability` is full where an answer must survive a power cut, normal in workers."""

    def __init__(self, url: str, *, durability: Durability = "full") -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine: PostgresqlEngine | SqliteConnections
        if self.is_sqlite:
            prepare_sqlite_folder(self.url.database)
            self._engine = SqliteConnections(url, durability)
        else:
            self._engine = PostgresqlEngine(url)

    def write(self, durability: Durability | None = None) -> AbstractAsyncContextManager[AsyncConnection]:
        """Normal for what a power cut may undo, because it would be done again; otherwise as the database's is."""
        return self._engine.write(durability)

    async def write_despite_races(
        self, work: Callable[[AsyncConnection], Awaitable[T]], durability: Durability | None = None
    ) -> T:
        """`work` in a transaction of its own, and in another if somebody was in its way: it has to look anew."""
        for _ in range(MAX_RACES):
            try:
                async with self.write(durability) as tx:
                    return await work(tx)
            except DBAPIError as error:
                if not is_race(error):
                    raise
        raise LostRace

    def read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection to read with. On SQLite it cannot write and never waits for the writer."""
        return self._engine.read()

    async def check(self) -> None:
        try:
            async with self.read() as connection:
                await connection.execute(text("SELECT 1"))
        except (DBAPIError, OSError) as error:
            raise DatabaseUnreachable(explain_unreachable(self.url.render_as_string(), error)) from None
        if self.is_sqlite and self.url.database:
            await asyncio.to_thread(require_writable_folder, Path(self.url.database).parent)

    async def close(self) -> None:
        await self._engine.close()


class PostgresqlEngine:
    def __init__(self, url: str) -> None:
        self._pool = create_async_engine(
            url, pool_size=POSTGRESQL_POOL, max_overflow=0, pool_pre_ping=True, hide_parameters=True
        )

    def write(self, _durability: Durability | None) -> AbstractAsyncContextManager[AsyncConnection]:
        """Always full: to ask for less takes a round trip, and those who commit together share the disk's one."""
        return self._pool.begin()

    def read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._pool.connect()

    async def close(self) -> None:
        await self._pool.dispose()


class SqliteConnections:
    """One connection that writes and a few that read, each opened when first needed."""

    def __init__(self, url: str, durability: Durability) -> None:
        self._durability = durability
        self._writer = Shelf(create_sqlite_engine(url, durability, writes=True), 1)
        self._readers = Shelf(create_sqlite_engine(url, durability, writes=False), SQLITE_READERS)

    def write(self, durability: Durability | None) -> AbstractAsyncContextManager[AsyncConnection]:
        return SqliteTransaction(self._writer, durability or self._durability)

    def read(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return SqliteTransaction(self._readers, None)

    async def close(self) -> None:
        await self._writer.close()
        await self._readers.close()


class SqliteTransaction(AbstractAsyncContextManager[AsyncConnection]):
    """Commits at its end, or rolls back on any exception. SQLAlchemy is asked only where it took part.

    A class, and not generators one inside the other, because there are four in every save. Without `durability` it
    reads.
    """

    def __init__(self, shelf: "Shelf", durability: Durability | None) -> None:
        self._shelf, self._durability = shelf, durability

    async def __aenter__(self) -> AsyncConnection:
        self._connection = await self._shelf.take()
        self._driver = driver_of(self._connection)
        try:
            await self._begin()
        except BaseException:
            await self._let_go()  # who was cancelled while waiting has a transaction all the same
            raise
        return self._connection

    async def _begin(self) -> None:
        dialect = self._connection.dialect
        try:
            if self._durability is None:
                self._driver.begin()
            else:
                await self._driver.begin_immediate(self._durability)
        except dialect.loaded_dbapi.Error as failed:
            raise as_sqlalchemy_error(failed, dialect, "BEGIN") from failed

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        dialect = self._connection.dialect
        asked = self._connection if self._connection.in_transaction() else self._driver
        try:
            await (asked.commit() if error is None else asked.rollback())
        except dialect.loaded_dbapi.Error as failed:
            raise as_sqlalchemy_error(failed, dialect, "COMMIT") from failed
        finally:
            await self._let_go()

    async def _let_go(self) -> None:
        """A commit that failed leaves its transaction open. SQLAlchemy may have given the connection up: then it is
        not put back, and must not be touched, or another would be opened in its place."""
        try:
            if not self._connection.invalidated:
                await self._driver.rollback()
        finally:
            self._shelf.put_back(self._connection)


class Shelf:
    """Connections nobody uses at the moment; the one put back last is taken first, its caches are warm."""

    def __init__(self, engine: AsyncEngine, size: int) -> None:
        self._engine = engine
        self._free = asyncio.Semaphore(size)
        self._connections: list[AsyncConnection] = []

    async def take(self) -> AsyncConnection:
        await self._wait_for_one()
        try:
            return self._connections.pop() if self._connections else await self._engine.connect()
        except BaseException:
            self._free.release()
            raise

    def put_back(self, connection: AsyncConnection) -> None:
        if not (connection.closed or connection.invalidated):
            self._connections.append(connection)
        self._free.release()

    async def _wait_for_one(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            raise PoolTimeout("every connection to the database is in use") from None

    async def close(self) -> None:
        while self._connections:
            await self._connections.pop().close()
        await self._engine.dispose()


def as_sqlalchemy_error(error: Exception, dialect: Dialect, statement: str) -> BaseException:
    """An error of the driver as callers know it, whichever way the statement went."""
    base = dialect.loaded_dbapi.Error
    return DBAPIError.instance(statement, None, error, base, hide_parameters=True, dialect=dialect)


def driver_of(connection: AsyncConnection) -> Any:
    """The driver's own connection. Of psycopg's and ours only what both have is used: `execute`, and the cursor's
    `fetchall` and `rowcount`."""
    assert connection.sync_connection is not None
    return connection.sync_connection.connection.driver_connection


def is_outage(error: BaseException) -> bool:
    """What we store in was away, busy, full or read-only: nobody's fault who used it, and worth trying again."""
    if isinstance(error, BlobsAway) or (isinstance(error, OSError) and error.errno in FULL_DISK):
        return True
    if not isinstance(error, (OperationalError, InterfaceError, PoolTimeout)):
        return False
    name = getattr(getattr(error, "orig", None), "sqlite_errorname", None)
    return name is None or name.startswith(SQLITE_OUTAGES)


def is_race(error: DBAPIError) -> bool:
    """Another transaction was in the way and won, by a constraint or since PostgreSQL ended a deadlock: look again."""
    return isinstance(error, IntegrityError) or getattr(error.orig, "sqlstate", None) == DEADLOCK


def explain_unreachable(shown_url: str, error: Exception) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    return f"cannot open the database {shown_url}: {cause.strip().splitlines()[0]}"


def require_writable_folder(folder: Path) -> None:
    """A write of SQLite's own would wait for whoever writes; this tells as much of a disk."""
    try:
        write_probe(folder)
    except OSError as error:
        raise DatabaseReadOnly(f"cannot write in the folder {folder}: {error.strerror}") from None


def prepare_sqlite_folder(database: str | None) -> None:
    if database and database != ":memory:":
        folder = Path(database).parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseUnreachable(f"cannot make the folder {folder}: {error.strerror}") from None


def create_sqlite_engine(url: str, durability: Durability, *, writes: bool) -> AsyncEngine:
    path = make_url(url).database or ":memory:"
    return create_async_engine(
        make_url(url).set(drivername="sqlite+aiosqlite"),
        async_creator=lambda *_, **__: sqlite_driver.connect(path, durability, writes=writes),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=1 if writes else SQLITE_READERS,
        max_overflow=0,
        hide_parameters=True,  # an error's message goes into logs; people's links do not
    )


__all__ = [
    "AsyncConnection",
    "Database",
    "DatabaseReadOnly",
    "DatabaseUnreachable",
    "Durability",
    "as_sqlalchemy_error",
    "driver_of",
    "is_outage",
]
