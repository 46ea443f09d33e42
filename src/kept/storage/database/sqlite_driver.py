"""SQLite for an event loop: what is quick runs in the loop, what may wait runs in a thread.

A hand-over to a thread and back costs several times what a look-up by key does, and a save makes some twenty of
those (measured: `docs/decisions/0002-sqlite-in-the-loop.md`). So statements run where they are called. Four kinds
do not: a commit, which waits for the disk; the beginning of a write that finds another writer; a search; and a read
that turns out to be long, which is broken off after a budget of work and done again in a thread.

SQLAlchemy's aiosqlite dialect drives it: `connect` makes what it takes for an aiosqlite connection. Transactions are
begun by whoever hands out connections (`storage/database.py`).
"""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Final, Literal, Self, TypeVar

Durability = Literal["full", "normal"]
T = TypeVar("T")

BUSY_TIMEOUT_MS: Final = 5000
# Steps of SQLite's virtual machine a read may take in the loop: about a millisecond; a page of a list takes a third.
READ_BUDGET_STEPS: Final = 30_000
# A search works inside FTS5, where SQLite counts no steps: it has a thread from the beginning, and so has a statement
# that says of itself that it is long.
SEARCHES: Final = " MATCH "
LONG: Final = "/* long */"
# More rows than this in one statement are worth a thread.
BULK_ROWS: Final = 50
THREADS: Final = 6  # one for each connection of a process, and one to spare


async def connect(path: str, durability: Durability, *, writes: bool) -> "SqliteConnection":
    connection = await in_thread(open_connection, path, durability, writes)
    return SqliteConnection(connection, durability, writes=writes)


def open_connection(path: str, durability: Durability, writes: bool) -> sqlite3.Connection:
    # Used by one task at a time, though not always from the same thread.
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    apply_pragmas(connection, durability, writes=writes)
    if writes:  # it waits where it begins, in a thread; once begun it has the file to itself
        connection.execute("PRAGMA busy_timeout = 0")
    return connection


def apply_pragmas(connection: sqlite3.Connection, durability: Durability, *, writes: bool) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    use_write_ahead_log(connection)
    connection.execute(f"PRAGMA synchronous = {durability.upper()}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")  # else REPLACE deletes behind the triggers' back
    if not writes:
        connection.execute("PRAGMA query_only = ON")


def use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Processes that open a new file at once collide here, and SQLite does not wait by itself."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


async def in_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Waits for the thread even when cancelled: the connection must not be used by two at once."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    _threads.take_on(loop, done, lambda: work(*arguments))
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        await asyncio.wait({done})
        raise


class Threads:
    """A few threads and one inbox. concurrent.futures does the same with twice the work for each hand-over."""

    def __init__(self) -> None:
        self._inbox: SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Callable[[], Any]]]
        self._inbox = SimpleQueue()
        self._started = 0

    def take_on(self, loop: asyncio.AbstractEventLoop, done: "asyncio.Future[Any]", work: Callable[[], Any]) -> None:
        if self._started < THREADS:
            self._started += 1
            threading.Thread(target=self._serve, name="sqlite", daemon=True).start()
        self._inbox.put((loop, done, work))

    def _serve(self) -> None:
        while True:
            loop, done, work = self._inbox.get()
            try:
                result = work()
            except BaseException as error:
                tell(loop, done.set_exception, error)
            else:
                tell(loop, done.set_result, result)


def tell(loop: asyncio.AbstractEventLoop, settle: Callable[[Any], None], value: object) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
        loop.call_soon_threadsafe(settle, value)


_threads: Final = Threads()


class SqliteConnection:
    """One connection, shaped as SQLAlchemy expects an aiosqlite connection to be."""

    def __init__(self, connection: sqlite3.Connection, durability: Durability, *, writes: bool) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._durability = durability
        self.raw = connection
        self.writes = writes
        self.isolation_level: str | None = None

    def cursor(self) -> "SqliteCursor":
        return SqliteCursor(self)

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> "SqliteCursor":
        cursor = self.cursor()
        await cursor.execute(statement, parameters)
        return cursor

    def begin(self) -> None:
        self.raw.execute("BEGIN")

    async def begin_immediate(self, durability: Durability) -> None:
        """Nobody else writes, most of the time; who does is waited for in a thread."""
        if durability != self._durability:
            self.raw.execute(f"PRAGMA synchronous = {durability.upper()}")
            self._durability = durability
        try:
            self.raw.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            await in_thread(self._begin_patiently)

    def _begin_patiently(self) -> None:
        self.raw.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        try:
            self.raw.execute("BEGIN IMMEDIATE")
        finally:
            self.raw.execute("PRAGMA busy_timeout = 0")

    async def commit(self) -> None:
        if not self.raw.in_transaction:
            return
        if self.writes:
            await in_thread(self.raw.commit)
        else:
            self.raw.commit()

    async def rollback(self) -> None:
        if self.raw.in_transaction:
            self.raw.rollback()

    async def create_function(self, *arguments: Any, **options: Any) -> None:
        self.raw.create_function(*arguments, **options)

    async def close(self) -> None:
        if self._connection is not None:
            self._connection = None
            await in_thread(self.raw.close)

    def stop(self) -> None:
        self._connection = None
        self.raw.close()


class SqliteCursor:
    def __init__(self, connection: SqliteConnection) -> None:
        self.connection = connection
        self.raw = connection.raw.cursor()
        self.rows: list[Any] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def description(self) -> Any:
        return self.raw.description

    @property
    def rowcount(self) -> int:
        return self.raw.rowcount

    @property
    def lastrowid(self) -> int | None:
        return self.raw.lastrowid

    @property
    def arraysize(self) -> int:
        return self.raw.arraysize

    @arraysize.setter
    def arraysize(self, value: int) -> None:
        self.raw.arraysize = value

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Self:
        if self.connection.writes or not statement.startswith(("SELECT", "WITH")):
            self._run(statement, parameters)
        elif SEARCHES in statement or LONG in statement:
            await in_thread(self._run, statement, parameters)
        else:
            await self._read(statement, parameters)
        return self

    async def executemany(self, statement: str, rows: Sequence[Sequence[Any]]) -> Self:
        if len(rows) > BULK_ROWS:
            await in_thread(self.raw.executemany, statement, rows)
        else:
            self.raw.executemany(statement, rows)
        return self

    async def fetchall(self) -> list[Any]:
        rows, self.rows = self.rows, []
        return rows

    async def close(self) -> None:
        self.raw.close()

    def _run(self, statement: str, parameters: Sequence[Any]) -> None:
        self.raw.execute(statement, parameters)
        self.rows = self.raw.fetchall() if self.raw.description else []

    async def _read(self, statement: str, parameters: Sequence[Any]) -> None:
        raw = self.connection.raw
        raw.set_progress_handler(lambda: 1, READ_BUDGET_STEPS)
        try:
            self._run(statement, parameters)
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise
            raw.set_progress_handler(None, 0)
            await in_thread(self._run, statement, parameters)
        finally:
            raw.set_progress_handler(None, 0)
