"""Statements of the hot path: compiled once for each dialect, then handed straight to the driver.

SQLAlchemy looks every statement up in a cache, and builds a context and a result around it; for a look-up by key that
is most of the time it takes, and a save makes some twenty of them (`docs/decisions/0003-prepared-statements.md`).
A prepared statement is written like any other, runs in the same transaction, and fails with the same errors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Dialect, Executable, Float, Select
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from kept.storage.database.engine import AsyncConnection, as_sqlalchemy_error, driver_of

Values = Mapping[str, Any]
Row = tuple[Any, ...]
Convert = Callable[[Any], Any]


class Prepared:
    """A statement whose parameters are `bindparam`s, or the columns of an insert: all of them must be given.

    Where the dialects spell it differently, `statement` is a function of the dialect's name.
    """

    def __init__(self, statement: Executable | Callable[[str], Executable]) -> None:
        self._statement = statement
        self._compiled: dict[str, Compiled] = {}

    async def find(self, tx: AsyncConnection, values: Values) -> Row | None:
        """The first row, if there is one."""
        rows = await self.list(tx, values)
        return rows[0] if rows else None

    async def list(self, tx: AsyncConnection, values: Values) -> list[Row]:
        compiled = self._compiled_for(tx.dialect)
        cursor = await compiled.execute(tx, values)
        return [compiled.decode(row) for row in await cursor.fetchall()]

    async def run(self, tx: AsyncConnection, values: Values) -> int:
        """The number of rows it changed."""
        cursor = await self._compiled_for(tx.dialect).execute(tx, values)
        changed: int = cursor.rowcount
        return changed

    def _compiled_for(self, dialect: Dialect) -> "Compiled":
        found = self._compiled.get(dialect.name)
        if found is None:
            statement = self._statement(dialect.name) if callable(self._statement) else self._statement
            found = self._compiled[dialect.name] = compile_for(dialect, statement)
        return found


@dataclass(frozen=True, slots=True)
class Compiled:
    sql: str
    is_positional: bool
    fixed: Values
    """Values that stand in the statement itself."""
    parameters: Sequence[tuple[str, Convert | None]]
    results: Sequence[Convert | None]

    async def execute(self, tx: AsyncConnection, values: Values) -> Any:
        parameters = self.encode(values)
        try:
            return await driver_of(tx).execute(self.sql, parameters)
        except tx.dialect.loaded_dbapi.Error as error:
            raise as_sqlalchemy_error(error, tx.dialect, self.sql) from error

    def encode(self, values: Values) -> Any:
        given = {**self.fixed, **values} if self.fixed else values
        if self.is_positional:
            return [given[name] if convert is None else convert(given[name]) for name, convert in self.parameters]
        return {name: given[name] if convert is None else convert(given[name]) for name, convert in self.parameters}

    def decode(self, row: Row) -> Row:
        return tuple(
            value if convert is None else convert(value) for value, convert in zip(row, self.results, strict=True)
        )


def compile_for(dialect: Dialect, statement: Executable) -> Compiled:
    compiled = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
    assert isinstance(compiled, SQLCompiler)
    names = compiled.positiontup if compiled.positiontup is not None else list(compiled.binds)
    return Compiled(
        sql=compiled.string,
        is_positional=compiled.positional,
        fixed={name: bind.value for name, bind in compiled.binds.items() if not bind.required},
        parameters=[(name, bind_converter(compiled.binds[name].type, dialect)) for name in names],
        results=[result_converter(column.type, dialect) for column in result_columns(statement)],
    )


def result_columns(statement: Any) -> Sequence[Any]:
    if isinstance(statement, Select):
        return list(statement.selected_columns)
    return list(getattr(statement, "exported_columns", ()))  # RETURNING


def bind_converter(kind: TypeEngine[Any], dialect: Dialect) -> Convert | None:
    return kind.dialect_impl(dialect).bind_processor(dialect)


def result_converter(kind: TypeEngine[Any], dialect: Dialect) -> Convert | None:
    if isinstance(kind, Float):  # both drivers give one; SQLAlchemy's converter asks for the driver's type of it
        return None
    return kind.dialect_impl(dialect).result_processor(dialect, None)
