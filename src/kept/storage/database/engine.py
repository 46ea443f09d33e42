"""The database: units of work are synchronous functions, each run whole in a thread, in one transaction.

    placed = await database.write(create_or_attach_item, link, now=now)

A connection belongs to its thread from BEGIN to COMMIT. Cancelling the caller ends the waiting, never the work, so
that nobody can touch a connection that is in use. A unit that met another transaction's rows is run again; it must
have no effect but its own statements.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError

from kept.domain.errors import DatabaseReadOnly, DatabaseUnreachable, LostRace, Unavailable, first_line
from kept.storage.blobs.store import PRIVATE_MODE, protect_file, write_probe
from kept.storage.database.errors import explain_unreachable, is_outage_of_database, is_race
from kept.storage.database.sqlite import Durability, create_sqlite_engine

P = ParamSpec("P")
T = TypeVar("T")
UnitOfWork = Callable[Concatenate[Connection, P], T]

SQLITE_READERS: Final = 4
POSTGRESQL_POOL: Final = 10
WAIT_SECONDS: Final = 30.0
CLOSE_SECONDS: Final = 10.0
# Two may insert one new URL at once; the loser looks again and nearly always finds it.
MAX_TRIES: Final = 5
# A server that no longer answers is given up after half a minute; a thread waits for it meanwhile.
POSTGRESQL_CONNECT_ARGS: Final = {
    "connect_timeout": 5,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Database:
    """Runs units of work. `durability` is full where an answer must survive a power cut, and normal in workers."""

    def __init__(self, url: str, *, durability: Durability = "full") -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            prepare_sqlite_folder(self.url.database)
            self.writer = create_sqlite_engine(self.url, durability, pool_size=1, writes=True)
            self.relaxed_writer = create_sqlite_engine(self.url, "normal", pool_size=1, writes=True)
            self.reader = create_sqlite_engine(self.url, durability, pool_size=SQLITE_READERS, writes=False)
            self._writing, self._reading = Threads("sqlite-writer", 1), Threads("sqlite-reader", SQLITE_READERS)
        else:
            self.writer = self.relaxed_writer = create_postgresql_engine(url)
            # One view for the whole unit, as on SQLite; the pool is the writer's.
            self.reader = self.writer.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            self._writing = self._reading = Threads("postgresql", POSTGRESQL_POOL)

    async def write(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run `work` in a transaction, which commits when it returns and rolls back when it raises."""
        return await self._writing.run(lambda: self._transact(self.writer, lambda tx: work(tx, *arguments, **named)))

    async def write_relaxed(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run `write` without waiting for the disk on SQLite, for what would be done again after a power cut."""
        engine = self.relaxed_writer
        return await self._writing.run(lambda: self._transact(engine, lambda tx: work(tx, *arguments, **named)))

    async def read(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run `work` with one consistent view. On SQLite it cannot write and never waits for the writer."""
        return await self._reading.run(lambda: self.run_read(work, *arguments, **named))

    def run_write(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run `write` for a caller that has a thread of its own."""
        return self._transact(self.writer, lambda tx: work(tx, *arguments, **named))

    def _transact(self, engine: Engine, work: Callable[[Connection], T]) -> T:
        for _ in range(MAX_TRIES):
            try:
                with engine.begin() as tx:
                    return work(tx)
            except DBAPIError as error:
                if not is_race(error):
                    raise translate(error) from error
        raise LostRace

    def run_read(self, work: UnitOfWork[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run `read` for a caller that has a thread of its own."""
        try:
            with self.reader.connect() as tx:
                found = work(tx, *arguments, **named)
                # Nothing was written, but psycopg forgets on a rollback which statements it has prepared.
                tx.commit()
                return found
        except DBAPIError as error:
            raise translate(error) from error

    async def check(self) -> None:
        """Raise DatabaseUnreachable where it cannot be read, DatabaseReadOnly where it cannot be written."""
        try:
            await self.read(lambda tx: tx.execute(text("SELECT 1")))
        except (Unavailable, DBAPIError, OSError) as error:
            cause = error.__cause__ if isinstance(error.__cause__, DBAPIError) else error
            raise DatabaseUnreachable(explain_unreachable(self.url.render_as_string(), cause)) from None
        if self.is_sqlite and self.url.database:
            await asyncio.to_thread(require_writable_folder, Path(self.url.database).parent)

    async def close(self) -> None:
        for threads in {self._writing, self._reading}:
            await threads.close()
        self.dispose()

    def dispose(self) -> None:
        """Do what `close` does, for a caller that has only used `run_read` and `run_write`."""
        for engine in {self.writer, self.relaxed_writer, self.reader}:
            engine.dispose()


class Threads:
    """A few threads for units of work, first come, first served; a unit waits at most half a minute for one."""

    def __init__(self, name: str, size: int) -> None:
        self._executor = ThreadPoolExecutor(size, thread_name_prefix=name)
        self._free = asyncio.Semaphore(size)

    async def run(self, work: Callable[[], T]) -> T:
        await self._wait_for_one()
        running = asyncio.get_running_loop().run_in_executor(self._executor, work)
        running.add_done_callback(self._release)
        return await asyncio.shield(running)

    async def _wait_for_one(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            raise Unavailable("every connection to the database is in use") from None

    def _release(self, running: "asyncio.Future[T]") -> None:
        self._free.release()
        if not running.cancelled():
            running.exception()  # a caller that left does not ask for the result, and asyncio is not to complain

    async def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.to_thread(self._executor.shutdown)
        except TimeoutError:
            return


def create_postgresql_engine(url: str) -> Engine:
    engine = create_engine(
        url,
        pool_size=POSTGRESQL_POOL,
        max_overflow=0,
        pool_pre_ping=True,
        hide_parameters=True,  # an error's message goes into logs; people's links do not
        connect_args=POSTGRESQL_CONNECT_ARGS,
    )

    @event.listens_for(engine, "connect")
    def compile_nothing(connection: DBAPIConnection, _record: object) -> None:
        """Turn PostgreSQL's JIT off: with it a list of 50 took 30 ms instead of 2.

        This is a statement because poolers in front of PostgreSQL refuse it as a start-up parameter.
        """
        connection.cursor().execute("SET jit = off")
        connection.commit()

    return engine


def translate(error: DBAPIError) -> Exception:
    """Return Unavailable for an outage, which the caller can only wait for, and any other error unchanged."""
    return Unavailable(first_line(error)) if is_outage_of_database(error) else error


def require_writable_folder(folder: Path) -> None:
    """Require that the disk can be written, with a probe file: a write by SQLite would wait for other writers."""
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
        protect_database_file(Path(database))


def protect_database_file(path: Path) -> None:
    """Make the database private, whatever the folder and the umask are; SQLite's journals get the mode of the file."""
    with suppress(OSError):  # a disk that cannot be written is told when the database is opened
        os.close(os.open(path, os.O_CREAT | os.O_RDONLY, PRIVATE_MODE))
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):  # it is not there, or another user's
            protect_file(path.with_name(path.name + suffix))


__all__ = ["Connection", "Database", "Durability"]
