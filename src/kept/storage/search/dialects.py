"""Which class searches a database."""

from typing import Final

from kept.storage.database.engine import Connection
from kept.storage.search.dialect import SearchDialect
from kept.storage.search.postgresql import PostgresqlSearch
from kept.storage.search.sqlite import SqliteSearch

DIALECTS: Final[dict[str, SearchDialect]] = {"sqlite": SqliteSearch(), "postgresql": PostgresqlSearch()}


def dialect_of(tx: Connection) -> SearchDialect:
    return DIALECTS[tx.dialect.name]
