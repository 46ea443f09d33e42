"""Connections to SQLite: write-ahead log, foreign keys, durability; BEGIN IMMEDIATE for whoever writes.

A deferred transaction that reads first and writes later fails with "database is locked" whenever another process
wrote in between (measured: 703 of 1,200; with IMMEDIATE 0).
"""

import time
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, make_url

from kept.domain.errors import OperatorError
from kept.storage.database.driver import SQLITE_VERSION, sqlite

Durability = Literal["full", "normal"]

BUSY_TIMEOUT_MS: Final = 5000
# The first with contentless_delete, which the search index needs.
OLDEST_SQLITE: Final = (3, 43)


class SqliteTooOld(OperatorError):
    """The SQLite library that Python uses here is too old."""


def find_database_file(url: str) -> Path | None:
    """Return the file of a SQLite database; None for any other."""
    parsed = make_url(url)
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def create_sqlite_engine(url: URL, durability: Durability, *, pool_size: int, writes: bool) -> Engine:
    require_recent_sqlite(SQLITE_VERSION)
    engine = create_engine(
        url,
        module=sqlite,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=0,
        hide_parameters=True,  # an error's message goes into logs; people's links do not
        # The pool lends a connection to one thread at a time, though not always to the same one.
        connect_args={"check_same_thread": False, "isolation_level": None},
    )

    @event.listens_for(engine, "connect")
    def set_pragmas(connection: sqlite.Connection, _record: object) -> None:
        apply_pragmas(connection, durability, writes=writes)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def require_recent_sqlite(version: str) -> None:
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        needed = ".".join(str(part) for part in OLDEST_SQLITE)
        raise SqliteTooOld(
            f"SQLite {version} is too old, Kept needs {needed}: pip install sqlean.py, or use PostgreSQL"
        )


def apply_pragmas(connection: sqlite.Connection, durability: Durability, *, writes: bool) -> None:
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    use_write_ahead_log(connection)
    connection.execute(f"PRAGMA synchronous = {durability.upper()}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA recursive_triggers = ON")  # else REPLACE deletes behind the triggers' back
    if not writes:
        connection.execute("PRAGMA query_only = ON")


def use_write_ahead_log(connection: sqlite.Connection) -> None:
    """Turn the write-ahead log on; SQLite does not wait by itself when processes open a new file at once."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
