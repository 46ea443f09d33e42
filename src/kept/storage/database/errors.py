"""What an error of the database means: an outage that passes, a lost race to run again, or a bug."""

from typing import Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

# PostgreSQL's codes: unique violation, foreign key violation, serialization failure, deadlock.
RACE_SQLSTATES: Final = frozenset({"23505", "23503", "40001", "40P01"})
# SQLite's are told by their messages: pysqlite3 knows no extended error codes.
RACE_SQLITE_MESSAGES: Final = ("UNIQUE constraint failed", "FOREIGN KEY constraint failed")
# SQLite's other operational errors are wrong SQL, which no second try puts right.
SQLITE_OUTAGES: Final = tuple(f"SQLITE_{name}" for name in ("BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"))


def is_race(error: DBAPIError) -> bool:
    """Return whether another transaction was in the way and won, so that the unit of work is to run again."""
    return getattr(error.orig, "sqlstate", None) in RACE_SQLSTATES or str(error.orig).startswith(RACE_SQLITE_MESSAGES)


def is_outage_of_database(error: DBAPIError) -> bool:
    """Return whether the database was away, busy, full or read-only, so that it is worth trying again."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    name = sqlite_name_of(error)
    return name is None or name.startswith(SQLITE_OUTAGES)


def sqlite_name_of(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlite_errorname", None)


def explain_unreachable(shown_url: str, error: Exception) -> str:
    cause = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    return f"cannot open the database {shown_url}: {cause.strip().splitlines()[0]}"
