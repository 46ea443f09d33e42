"""How a database is asked for words: `search/sqlite.py` or `search/postgresql.py`. The other one is not imported."""

from importlib import import_module
from types import ModuleType


def port_of(dialect: str) -> ModuleType:
    """The two modules have their functions in common, but no type."""
    return import_module(f"kept.storage.search.{dialect}")
