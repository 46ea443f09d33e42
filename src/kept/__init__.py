"""Kept: save a link, see it at once, keep the page for good.

Importing the package swaps in a current SQLite where there is one: Debian 12's 3.40.1 has a bug that can corrupt
a write-ahead log when it is reset, and faults in its trigram index. It must happen before anything imports `sqlite3`,
and happens nowhere else. `kept doctor` and the first log line say which version runs.
"""

import importlib
import sys
from typing import Final

# The first has wheels for x86-64, the second for 64-bit ARM too; elsewhere the standard library's has to do.
NEWER_SQLITE: Final = ("pysqlite3", "sqlean")

for _name in NEWER_SQLITE:
    try:
        _module = importlib.import_module(_name)
    except ImportError:
        continue
    sys.modules["sqlite3"] = _module
    sys.modules["sqlite3.dbapi2"] = importlib.import_module(f"{_name}.dbapi2")
    break
