"""Applies moves along the lifecycles: compare-and-swap on state and version, and the history row, in one transaction.

Nothing else writes `processing_status`, `enrichment_status` or `version`.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from sqlalchemy import bindparam, select, update

from kept.domain.errors import LostRace
from kept.domain.lifecycle import (
    EnrichmentStatus,
    Lifecycle,
    ProcessingStatus,
    Standing,
    Status,
    Transition,
    move,
)
from kept.ids import new_id
from kept.storage.database.engine import AsyncConnection
from kept.storage.database.prepared import Prepared
from kept.storage.tables import media, transitions

INSERT_TRANSITION: Final = Prepared(transitions.insert())


async def find_standing(tx: AsyncConnection, media_id: UUID, *, lock: bool = False) -> Standing | None:
    """Where a media stands. `lock` holds its row until the transaction ends (SQLite's one writer needs no lock)."""
    query = select(media.c.processing_status, media.c.enrichment_status, media.c.version).where(media.c.id == media_id)
    row = (await tx.execute(query.with_for_update() if lock else query)).one_or_none()
    if row is None:
        return None
    return Standing(media_id, ProcessingStatus(row[0]), EnrichmentStatus(row[1]), row[2])


async def apply_move(
    tx: AsyncConnection,
    standing: Standing,
    to: Status,
    *,
    at: datetime,
    history: Mapping[str, Any] | None = None,
    **columns: object,
) -> Standing:
    """Move a media and write its other `columns` with it; LostRace if it no longer stands where it stood.

    `history` is what the history row says besides the states.
    """
    moved, transition = move(standing, to, at=at, metadata=history)
    values = {
        "stood_id": standing.media_id,
        "stood_processing": standing.processing,
        "stood_enrichment": standing.enrichment,
        "stood_version": standing.version,
        "processing_status": moved.processing,
        "enrichment_status": moved.enrichment,
        "version": moved.version,
        "updated_at": at,
        **columns,
    }
    if await moving(frozenset(columns)).run(tx, values) != 1:
        raise LostRace
    await insert_transition(tx, transition)
    return moved


@cache
def moving(others: frozenset[str]) -> Prepared:
    """The compare-and-swap that also writes the columns `others`; each caller has its own few."""
    unchanged = (
        media.c.id == bindparam("stood_id"),
        media.c.processing_status == bindparam("stood_processing"),
        media.c.enrichment_status == bindparam("stood_enrichment"),
        media.c.version == bindparam("stood_version"),
    )
    written = ("processing_status", "enrichment_status", "version", "updated_at", *sorted(others))
    return Prepared(update(media).where(*unchanged).values({name: bindparam(name) for name in written}))


async def insert_transition(tx: AsyncConnection, transition: Transition) -> None:
    row = {
        "id": new_id(),
        "media_id": transition.media_id,
        "sort_key": transition.sort_key,
        "lifecycle": transition.lifecycle,
        "from_state": transition.from_state,
        "to_state": transition.to_state,
        "metadata": dict(transition.metadata),
        "created_at": transition.created_at,
    }
    await INSERT_TRANSITION.run(tx, row)


async def list_transitions(tx: AsyncConnection, media_id: UUID) -> list[Transition]:
    query = select(transitions).where(transitions.c.media_id == media_id).order_by(transitions.c.sort_key)
    return [
        Transition(
            row["media_id"],
            row["sort_key"],
            Lifecycle(row["lifecycle"]),
            row["from_state"],
            row["to_state"],
            row["created_at"],
            row["metadata"],
        )
        for row in (await tx.execute(query)).mappings()
    ]
