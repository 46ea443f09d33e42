"""What SQLite and PostgreSQL spell differently, in one place."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar

from sqlalchemy import BindParameter, ColumnElement, CompoundSelect, Connection, Select, Table, Text, func, select
from sqlalchemy.dialects import postgresql, sqlite

T = TypeVar("T")
DIALECTS: Final = {"sqlite": sqlite, "postgresql": postgresql}
# Names for what SQLAlchemy's types leave open: a query's rows are typed where they become our own values.
Query: TypeAlias = Select[*tuple[Any, ...]]
UnionQuery: TypeAlias = CompoundSelect[*tuple[Any, ...]]
Expression: TypeAlias = ColumnElement[Any]
Parameter: TypeAlias = BindParameter[Any]
Columns: TypeAlias = Sequence[Any]
"""One row of a result, whose values are read by position."""


def insert_for(dialect: str, table: Table) -> Any:
    """Return an insert with conflict clauses; the two dialects' classes share the methods, but no type.

    The row count is preserved: on PostgreSQL it is -1 otherwise, and a new job would be taken for a known one.
    """
    return DIALECTS[dialect].insert(table).execution_options(preserve_rowcount=True)


def upsert(tx: Connection, table: Table) -> Any:
    return insert_for(tx.dialect.name, table)


def by_dialect(make: Callable[[str], T]) -> Mapping[str, T]:
    """Make a statement for each dialect, once."""
    return {dialect: make(dialect) for dialect in DIALECTS}


def notify(tx: Connection, channel: str, payload: str) -> None:
    """Notify the listeners of a PostgreSQL channel on commit; on SQLite workers watch the file instead."""
    if tx.dialect.name == "postgresql":
        tx.execute(select(func.pg_notify(channel, payload)))


def read_postgresql_clock(tx: Connection) -> datetime:
    """Return the PostgreSQL server's own time."""
    now: datetime = tx.execute(select(func.clock_timestamp())).scalar_one()
    return now


def format_time(tx: Connection, column: ColumnElement[Any], *, by_minute: bool) -> ColumnElement[str]:
    """Format an instant's minute or hour in UTC as text: `2026-03-01 09:30`, `2026-03-01 09`."""
    if tx.dialect.name == "postgresql":
        form = "YYYY-MM-DD HH24:MI" if by_minute else "YYYY-MM-DD HH24"
        return func.to_char(func.timezone("UTC", column), form, type_=Text)
    return func.substr(column, 1, 16 if by_minute else 13, type_=Text)


def host_of(tx: Connection, url: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the host of a normalised URL, or null for null."""
    if tx.dialect.name == "postgresql":
        return func.split_part(func.split_part(url, "://", 2), "/", 1, type_=Text)
    rest = func.substr(url, func.instr(url, "://") + 3, type_=Text)
    return func.substr(rest, 1, func.instr(rest.concat("/"), "/") - 1, type_=Text)
