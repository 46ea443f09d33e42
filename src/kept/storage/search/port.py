"""How a database is asked for words: by `search/sqlite.py` or by `search/postgresql.py`."""

from types import ModuleType
from typing import Final

from kept.storage.search import postgresql, sqlite

PORTS: Final = {"sqlite": sqlite, "postgresql": postgresql}


def port_of(dialect: str) -> ModuleType:
    """The two modules have their functions in common, but no type."""
    return PORTS[dialect]
