"""Applies moves along the lifecycles: compare-and-swap on state and version, and the history row, in one transaction.

Nothing else writes `processing_status`, `enrichment_status` or `version`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, update

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
from kept.storage.columns import new_id
from kept.storage.database import AsyncConnection
from kept.storage.tables import media, transitions


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
    unchanged = (
        media.c.id == standing.media_id,
        media.c.processing_status == standing.processing,
        media.c.enrichment_status == standing.enrichment,
        media.c.version == standing.version,
    )
    result = await tx.execute(
        update(media)
        .where(*unchanged)
        .values(
            processing_status=moved.processing,
            enrichment_status=moved.enrichment,
            version=moved.version,
            updated_at=at,
            **columns,
        )
    )
    if result.rowcount != 1:
        raise LostRace
    await insert_transition(tx, transition)
    return moved


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
    await tx.execute(transitions.insert(), row)


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
