"""Queries about imports and their rows. A row is written with the item it stands for, so that none is done twice."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import RowMapping, bindparam, delete, func, select, update

from kept.domain.importing import Counts, Import, ImportedRow, ImportState, RowOutcome
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.tables import import_rows, imports

NEXT_ORDINAL: Final = select(func.max(import_rows.c.ordinal)).where(import_rows.c.import_id == bindparam("import_id"))
INSERT_ROW: Final = import_rows.insert()
ROWS_AT_ONCE: Final = 1000


def import_from(row: RowMapping) -> Import:
    return Import(**{**row, "state": ImportState(row["state"])})


async def insert_import(tx: AsyncConnection, made: Import) -> None:
    row = {name: getattr(made, name) for name in Import.__dataclass_fields__}
    await tx.execute(imports.insert(), row | {"options": dict(made.options)})


async def find_import(tx: AsyncConnection, import_id: UUID, *, lock: bool = False) -> Import | None:
    query = select(imports).where(imports.c.id == import_id)
    row = (await tx.execute(query.with_for_update() if lock else query)).mappings().one_or_none()
    return import_from(row) if row else None


async def list_imports(tx: AsyncConnection, user_id: UUID, *, limit: int = 50) -> list[Import]:
    query = select(imports).where(imports.c.user_id == user_id).order_by(imports.c.id.desc()).limit(limit)
    return [import_from(row) for row in (await tx.execute(query)).mappings()]


async def update_import(tx: AsyncConnection, import_id: UUID, now: datetime, **columns: Any) -> None:
    await tx.execute(update(imports).where(imports.c.id == import_id).values(updated_at=now, **columns))


async def delete_import(tx: AsyncConnection, import_id: UUID) -> None:
    await tx.execute(delete(imports).where(imports.c.id == import_id))


async def list_stale(tx: AsyncConnection, states: Sequence[ImportState], before: datetime) -> list[Import]:
    query = select(imports).where(imports.c.state.in_(states), imports.c.updated_at < before)
    return [import_from(row) for row in (await tx.execute(query)).mappings()]


async def find_next_ordinal(tx: AsyncConnection, import_id: UUID) -> int:
    """How many rows are done: they are done in order."""
    last: int | None = await tx.scalar(NEXT_ORDINAL, {"import_id": import_id})
    return 0 if last is None else last + 1


async def count_rows(tx: AsyncConnection, import_id: UUID) -> Counts:
    query = (
        select(import_rows.c.outcome, func.count())
        .where(import_rows.c.import_id == import_id)
        .group_by(import_rows.c.outcome)
    )
    found = {RowOutcome(outcome): count for outcome, count in await tx.execute(query)}
    return Counts(*(found.get(outcome, 0) for outcome in RowOutcome))


async def insert_rows(tx: AsyncConnection, import_id: UUID, rows: Sequence[ImportedRow]) -> None:
    """The key is (import, ordinal): a second writer of the same rows fails, with all that it wrote."""
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
        await tx.execute(INSERT_ROW, values)


async def iterate_rows(database: Database, import_id: UUID) -> AsyncIterator[ImportedRow]:
    """All of them in order, some at a time: nobody holds a transaction while a slow reader reads."""
    after = -1
    while True:
        query = (
            select(import_rows)
            .where(import_rows.c.import_id == import_id, import_rows.c.ordinal > after)
            .order_by(import_rows.c.ordinal)
            .limit(ROWS_AT_ONCE)
        )
        async with database.read() as tx:
            rows = (await tx.execute(query)).mappings().all()
        for row in rows:
            outcome = RowOutcome(row["outcome"])
            yield ImportedRow(row["ordinal"], row["url"], outcome, row["reason"], row["item_id"])
        if len(rows) < ROWS_AT_ONCE:
            return
        after = rows[-1]["ordinal"]
