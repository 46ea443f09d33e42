"""Whoever imports `sqlite3` gets the current SQLite that is installed, whether before or after Kept, and only then."""

import subprocess
import sys

import pytest

from kept import find_newer_sqlite

PROGRAMS = {
    "after Kept": "import kept, sqlite3",
    "before Kept": "import sqlite3, kept, sqlite3",
    "as SQLAlchemy does": "import kept; from sqlite3 import dbapi2",
}


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.skipif(find_newer_sqlite() is None, reason="the standard library's has to do here")
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_sqlite_is_the_newer_one(program: str) -> None:
    newer = find_newer_sqlite()
    assert newer is not None
    assert run(f"{program}\nimport sqlite3\nprint(sqlite3.__name__)") == newer.__name__


def test_a_process_that_does_not_ask_for_sqlite_has_none() -> None:
    loaded = run("import sys, kept; print(*{'sqlite3', 'pysqlite3', 'sqlean'} & set(sys.modules))")
    assert loaded == ""
