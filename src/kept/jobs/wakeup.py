"""Wakeups of the local executor when somebody commits: by watching SQLite's file, or listening to PostgreSQL.

They only say that it is worth looking; a worker that misses one looks by itself a little later.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Database
from kept.storage.queue.queue import CHANNEL

log = structlog.get_logger("kept.jobs")

# A look takes a thread some 50 µs with its waking up, so that fifty a second are a quarter of a hundredth of a
# processor; the event loop takes four times that for a timer alone. Whoever saves waits half of it for the article.
SQLITE_POLL_SECONDS: Final = 0.02
# Where nobody has committed for a while, twenty a second suffice: the processes for an article start more slowly.
RESTING_POLL_SECONDS: Final = 0.05
REST_AFTER_SECONDS: Final = 60.0
RECONNECT_SECONDS: Final = (0.2, 0.5, 1.0, 2.0, 5.0)


@asynccontextmanager
async def wake_on_commits(database: Database, wake: Callable[[], None]) -> AsyncIterator[None]:
    """Call `wake` after other connections' commits (SQLite: any commit; PostgreSQL: those that asked for a job)."""
    watch = watch_sqlite(database, wake) if database.is_sqlite else listen_to_postgresql(database, wake)
    task = asyncio.create_task(watch)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def watch_sqlite(database: Database, wake: Callable[[], None]) -> None:
    """Watch `PRAGMA data_version`, which changes when any other connection, of any process, has committed."""
    assert database.url.database is not None
    loop, stopped = asyncio.get_running_loop(), threading.Event()

    def watch(path: str) -> None:
        connection, seen = sqlite.connect(path, isolation_level=None), None
        changed_at = time.monotonic()
        while not stopped.wait(choose_poll_seconds(time.monotonic() - changed_at)):
            version = read_data_version(connection)
            if version != seen:
                seen, changed_at = version, time.monotonic()
                with suppress(RuntimeError):  # the loop was closed meanwhile
                    loop.call_soon_threadsafe(wake)
        connection.close()

    thread = threading.Thread(target=watch, args=(database.url.database,), name="data-version", daemon=True)
    thread.start()
    try:
        await asyncio.Event().wait()
    finally:
        stopped.set()


def choose_poll_seconds(quiet_seconds: float) -> float:
    return SQLITE_POLL_SECONDS if quiet_seconds < REST_AFTER_SECONDS else RESTING_POLL_SECONDS


def read_data_version(connection: sqlite.Connection) -> int | None:
    with suppress(sqlite.OperationalError):  # busy for a moment; the next look will tell
        # fetchall, because a statement that is not read to its end holds its view of the database
        [[version]] = connection.execute("PRAGMA data_version").fetchall()
        return int(version)
    return None


async def listen_to_postgresql(database: Database, wake: Callable[[], None]) -> None:
    failures = 0
    while True:
        try:
            async with connect_to_postgresql(database) as notifications:
                wake()  # for whatever was sent while nobody listened
                failures = 0
                async for _ in notifications:
                    wake()
        except OSError as error:
            log.debug("jobs.not_listening", error=str(error))
        await asyncio.sleep(RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)])
        failures += 1


@asynccontextmanager
async def connect_to_postgresql(database: Database) -> AsyncIterator[AsyncIterator[object]]:
    """Connect, and raise OSError for every failure of the server or the way to it."""
    import psycopg  # the postgres extra

    url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=5) as connection:
            await connection.execute(f"LISTEN {CHANNEL}".encode())
            yield connection.notifies()
    except psycopg.Error as error:
        raise OSError(str(error)) from None
