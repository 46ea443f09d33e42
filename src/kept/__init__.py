"""Kept: save a link, see it at once, keep the page for good.

Importing the package makes `import sqlite3` find a current SQLite where there is one: Debian 12's 3.40.1 has a bug that
can corrupt a write-ahead log when it is reset, and faults in its trigram index. It must happen before anything imports
`sqlite3`, and happens nowhere else. `kept doctor` and the first log line say which version runs.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

# The first has wheels for x86-64, the second for 64-bit ARM too; elsewhere the standard library's has to do.
NEWER_SQLITE: Final = ("pysqlite3", "sqlean")


class NewerSqlite:
    """Loads `sqlite3` once somebody imports it: processes that read pages do without."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        is_ours = name == "sqlite3" and find_newer_sqlite() is not None
        return ModuleSpec(name, self) if is_ours else None  # type: ignore[arg-type] # importlib.abc would cost every start

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty one, which nobody gets to see."""

    def exec_module(self, module: ModuleType) -> None:
        swap_in_newer_sqlite()


def find_newer_sqlite() -> ModuleType | None:
    for name in NEWER_SQLITE:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def swap_in_newer_sqlite() -> None:
    if newer := find_newer_sqlite():
        sys.modules["sqlite3"] = newer
        sys.modules["sqlite3.dbapi2"] = importlib.import_module(f"{newer.__name__}.dbapi2")


if "sqlite3" in sys.modules:  # a debugger's, or that of a tool that measures
    swap_in_newer_sqlite()
else:
    sys.meta_path.insert(0, NewerSqlite())
