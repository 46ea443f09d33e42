"""The one SQLite library of the process, for everything that opens a SQLite file. No other module imports one.

A current SQLite is taken where there is a package of it: `pysqlite3` has wheels for x86-64, `sqlean` for 64-bit ARM;
elsewhere the standard library's has to do. Debian 12's SQLite 3.40.1 can corrupt a write-ahead log when it resets it,
and its trigram index finds wrong rows for LIKE. `kept doctor` and the first log line say which version runs.

There is one library, because two in one process do not see each other's open files. POSIX locks belong to the process:
as soon as one library closes a database file, the locks of the other are gone too, another process deletes the log that
is still written to, and committed rows are lost. SQLAlchemy is therefore told the library (`create_engine(…,
module=sqlite)`): it would import `sqlite3` by itself.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sqlite3 import dbapi2 as sqlite
else:
    try:
        from pysqlite3 import dbapi2 as sqlite
    except ImportError:
        try:
            from sqlean import dbapi2 as sqlite
        except ImportError:
            from sqlite3 import dbapi2 as sqlite

SQLITE_VERSION: Final[str] = sqlite.sqlite_version

__all__ = ["SQLITE_VERSION", "sqlite"]
