"""Queries about imports and their rows. A row is written with the item it stands for, so that none is done twice."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, bindparam, func, select, update

from kept.domain.importing import UNFINISHED, Counts, Import, ImportedRow, ImportState, RowOutcome
from kept.storage.database.engine import Connection
from kept.storage.tables import import_rows, imports

NEXT_ORDINAL: Final = select(func.max(import_rows.c.ordinal)).where(import_rows.c.import_id == bindparam("import_id"))
INSERT_ROW: Final = import_rows.insert()
ROWS_AT_ONCE: Final = 1000


def import_from(row: RowMapping) -> Import:
    return Import(**{**row, "state": ImportState(row["state"])})


def insert_import(tx: Connection, made: Import) -> None:
    row = {name: getattr(made, name) for name in Import.__dataclass_fields__}
    tx.execute(imports.insert(), row | {"options": dict(made.options)})


def find_import(tx: Connection, import_id: UUID, *, lock: bool = False) -> Import | None:
    query = select(imports).where(imports.c.id == import_id)
    row = tx.execute(query.with_for_update() if lock else query).mappings().one_or_none()
    return import_from(row) if row else None


def list_imports(tx: Connection, user_id: UUID, *, limit: int = 50) -> list[Import]:
    query = select(imports).where(imports.c.user_id == user_id).order_by(imports.c.id.desc()).limit(limit)
    return [import_from(row) for row in tx.execute(query).mappings()]


def list_blob_keys(tx: Connection, user_id: UUID) -> list[str]:
    """List the keys of all files the user uploaded, including those that are deleted."""
    return list(tx.execute(select(imports.c.blob_key).where(imports.c.user_id == user_id)).scalars())


def update_import(tx: Connection, import_id: UUID, now: datetime, **columns: Any) -> None:
    tx.execute(update(imports).where(imports.c.id == import_id).values(updated_at=now, **columns))


def fail_import(tx: Connection, import_id: UUID, problem: str, now: datetime) -> None:
    update_import(tx, import_id, now, state=ImportState.FAILED, problem=problem)


def list_with_file(tx: Connection, user_id: UUID) -> list[Import]:
    """List the user's unfinished and failed imports, whose files still exist, the oldest first."""
    states = [*UNFINISHED, ImportState.FAILED]
    query = select(imports).where(imports.c.user_id == user_id, imports.c.state.in_(states)).order_by(imports.c.id)
    return [import_from(row) for row in tx.execute(query).mappings()]


def list_stale(tx: Connection, states: Sequence[ImportState], before: datetime) -> list[Import]:
    query = select(imports).where(imports.c.state.in_(states), imports.c.updated_at < before)
    return [import_from(row) for row in tx.execute(query).mappings()]


def find_next_ordinal(tx: Connection, import_id: UUID) -> int:
    """Return the ordinal of the next row to write; rows are written in order."""
    last: int | None = tx.scalar(NEXT_ORDINAL, {"import_id": import_id})
    return 0 if last is None else last + 1


def count_rows(tx: Connection, import_id: UUID) -> Counts:
    query = (
        select(import_rows.c.outcome, func.count())
        .where(import_rows.c.import_id == import_id)
        .group_by(import_rows.c.outcome)
    )
    found = {RowOutcome(outcome): count for outcome, count in tx.execute(query)}
    return Counts(*(found.get(outcome, 0) for outcome in RowOutcome))


def insert_rows(tx: Connection, import_id: UUID, rows: Sequence[ImportedRow]) -> None:
    """Insert rows; a second writer of the same rows fails on their key, (import, ordinal), and is rolled back."""
    values = [
        {
            "import_id": import_id,
            "ordinal": row.ordinal,
            "url": row.url,
            "outcome": row.outcome,
            "reason": row.reason,
            "item_id": row.item_id,
        }
        for row in rows
    ]
    if values:
        tx.execute(INSERT_ROW, values)


def list_rows(tx: Connection, import_id: UUID, *, after: int) -> list[ImportedRow]:
    """List the next ROWS_AT_ONCE rows in order: no transaction stays open while a slow client reads."""
    query = (
        select(import_rows)
        .where(import_rows.c.import_id == import_id, import_rows.c.ordinal > after)
        .order_by(import_rows.c.ordinal)
        .limit(ROWS_AT_ONCE)
    )
    return [
        ImportedRow(row["ordinal"], row["url"], RowOutcome(row["outcome"]), row["reason"], row["item_id"])
        for row in tx.execute(query).mappings()
    ]
