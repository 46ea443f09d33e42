"""Kept: save a link, see it at once, keep the page for good.

Importing the package swaps in a current SQLite where there is one: Debian 12's 3.40.1 has a bug that can corrupt
a write-ahead log when it is reset, and faults in its trigram index. It must happen before anything imports `sqlite3`,
and happens nowhere else. `kept doctor` and the first log line say which version runs.
"""

import sys

try:
    import pysqlite3
except ImportError:  # no wheel for this platform: the standard library's has to do
    pass
else:
    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
