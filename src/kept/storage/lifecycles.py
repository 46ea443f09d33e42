"""Applies moves along the lifecycles: compare-and-swap on state and version, and the history row, in one transaction.

Nothing else writes `processing_status`, `enrichment_status` or `version`.
"""

from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import Update, bindparam, select, update

from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.errors import LostRace
from kept.domain.lifecycle import (
    EnrichmentStatus,
    Lifecycle,
    LifecycleState,
    ProcessingStatus,
    Status,
    Transition,
    move,
)
from kept.ids import new_id
from kept.storage.database.engine import Connection
from kept.storage.tables import media, transitions

INSERT_TRANSITION: Final = transitions.insert()


def find_state(tx: Connection, media_id: UUID) -> LifecycleState | None:
    query = select(media.c.processing_status, media.c.enrichment_status, media.c.version).where(media.c.id == media_id)
    row = tx.execute(query).one_or_none()
    if row is None:
        return None
    return LifecycleState(media_id, ProcessingStatus(row[0]), EnrichmentStatus(row[1]), row[2])


def apply_move(
    tx: Connection,
    state: LifecycleState,
    to: Status,
    *,
    at: datetime,
    record: AttemptRecord = NOTHING_TO_TELL,
    **columns: object,
) -> LifecycleState:
    """Move a media and write its other `columns` with it; raises LostRace if it is no longer in that state.

    `record` is what the history row contains besides the states.
    """
    moved, transition = move(state, to, at=at, record=record)
    values = {
        "old_id": state.media_id,
        "old_processing": state.processing,
        "old_enrichment": state.enrichment,
        "old_version": state.version,
        "processing_status": moved.processing,
        "enrichment_status": moved.enrichment,
        "version": moved.version,
        "updated_at": at,
        **columns,
    }
    if tx.execute(moving(frozenset(columns)), values).rowcount != 1:
        raise LostRace
    insert_transition(tx, transition)
    return moved


@cache
def moving(others: frozenset[str]) -> Update:
    """Return the compare-and-swap that also writes the columns `others`, of which each caller has a few."""
    unchanged = (
        media.c.id == bindparam("old_id"),
        media.c.processing_status == bindparam("old_processing"),
        media.c.enrichment_status == bindparam("old_enrichment"),
        media.c.version == bindparam("old_version"),
    )
    written = ("processing_status", "enrichment_status", "version", "updated_at", *sorted(others))
    return update(media).where(*unchanged).values({name: bindparam(name) for name in written})


def insert_transition(tx: Connection, transition: Transition) -> None:
    row = {
        "id": new_id(),
        "media_id": transition.media_id,
        "sort_key": transition.sort_key,
        "lifecycle": transition.lifecycle,
        "from_state": transition.from_state,
        "to_state": transition.to_state,
        "metadata": transition.record.to_json(),
        "created_at": transition.created_at,
    }
    tx.execute(INSERT_TRANSITION, row)


def list_transitions(tx: Connection, media_id: UUID) -> list[Transition]:
    query = select(transitions).where(transitions.c.media_id == media_id).order_by(transitions.c.sort_key)
    return [
        Transition(
            row["media_id"],
            row["sort_key"],
            Lifecycle(row["lifecycle"]),
            row["from_state"],
            row["to_state"],
            row["created_at"],
            AttemptRecord.from_json(row["metadata"]),
        )
        for row in tx.execute(query).mappings()
    ]
