"""Queries about numbers: what apps that know no UUIDs call items, tags and highlights. Triggers give them."""

from collections.abc import Collection, Mapping
from typing import Final
from uuid import UUID

from sqlalchemy import delete, func, select, text

from kept.domain.synced import MAX_NUMBER, MAX_RESTORED_NUMBER, NumberKind
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import numbers

ADVANCE_SQLITE: Final = text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = 'numbers'")
BEGIN_SQLITE: Final = text(
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'numbers', 0 "
    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'numbers')"
)
ADVANCE_POSTGRESQL: Final = text("SELECT setval('numbers_no_seq', greatest(:last, nextval('numbers_no_seq')))")


def find_subject(tx: Connection, kind: NumberKind, number: int) -> UUID | None:
    if not 0 < number <= MAX_NUMBER:
        return None
    return tx.scalar(select(numbers.c.subject_id).where(numbers.c.no == number, numbers.c.kind == kind))


def list_numbers(tx: Connection, kind: NumberKind, subject_ids: Collection[UUID]) -> dict[UUID, int]:
    if not subject_ids:
        return {}
    query = select(numbers.c.subject_id, numbers.c.no)
    rows = tx.execute(query.where(numbers.c.kind == kind, numbers.c.subject_id.in_(subject_ids)))
    return {row.subject_id: row.no for row in rows}


def find_last(tx: Connection) -> int:
    """The highest that was given."""
    return tx.scalar(select(func.max(numbers.c.no))) or 0


def advance(tx: Connection, last: int) -> None:
    """The next ones are higher than this; where that is more than a file may ask for, nothing changes."""
    if not 0 < last <= MAX_RESTORED_NUMBER or last <= find_last(tx):
        return
    if tx.dialect.name == "sqlite":
        tx.execute(BEGIN_SQLITE)
        tx.execute(ADVANCE_SQLITE, {"last": last})
    else:
        tx.execute(ADVANCE_POSTGRESQL, {"last": last})


def restore(tx: Connection, kind: NumberKind, wanted: Mapping[UUID, int]) -> None:
    """The numbers that these had before they were exported, where nothing else has them."""
    good = {key: number for key, number in wanted.items() if 0 < number <= MAX_RESTORED_NUMBER}
    taken = set(tx.execute(select(numbers.c.no).where(numbers.c.no.in_(good.values()))).scalars())
    free = {number: key for key, number in good.items() if number not in taken}
    if not free:
        return
    tx.execute(delete(numbers).where(numbers.c.kind == kind, numbers.c.subject_id.in_(free.values())))
    rows = [{"no": number, "kind": kind, "subject_id": key} for number, key in free.items()]
    tx.execute(upsert(tx, numbers).on_conflict_do_nothing(), rows)
