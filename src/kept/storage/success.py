"""Queries about how well saving goes, over every page saved since some day."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import distinct, func, select, tuple_

from kept.domain.attempt import AttemptRecord
from kept.domain.lifecycle import Lifecycle
from kept.storage.database.engine import Connection
from kept.storage.tables import items, media, transitions

BATCH: Final = 5_000


@dataclass(frozen=True, slots=True)
class CardStep:
    """One line of a card's history: what a fetch or a browser found, and when."""

    media_id: UUID
    sort_key: int
    saved_at: datetime
    at: datetime
    to_state: str
    record: AttemptRecord


def list_card_steps(tx: Connection, since: datetime, after: CardStep | None) -> list[CardStep]:
    """The next BATCH of them, the steps of one page after each other in their order."""
    place = (media.c.id, transitions.c.sort_key)
    columns = (media.c.created_at, transitions.c.created_at, transitions.c.to_state, transitions.c.metadata)
    query = (
        select(*place, *columns)
        .join(transitions, transitions.c.media_id == media.c.id)
        .where(media.c.created_at >= since, transitions.c.lifecycle == Lifecycle.ENRICHMENT)
        .order_by(*place)
        .limit(BATCH)
    )
    if after is not None:
        query = query.where(tuple_(*place) > (after.media_id, after.sort_key))
    return [CardStep(*row[:-1], AttemptRecord.from_json(row[-1])) for row in tx.execute(query)]


def count_shared_pages(tx: Connection, since: datetime) -> tuple[int, int]:
    """How many pages were saved, and how many of them stand in more than one library: stored once all the same."""
    held = (
        select(items.c.media_id, func.count(distinct(items.c.library_id)).label("libraries"))
        .where(items.c.created_at >= since)
        .group_by(items.c.media_id)
        .subquery()
    )
    shared = func.count().filter(held.c.libraries > 1)
    pages, several = tx.execute(select(func.count(), shared).select_from(held)).one()
    return pages, several


def count_double_pages(tx: Connection) -> int:
    """URLs under which two current copies of a page are kept. There should be none."""
    double = (
        select(media.c.canonical_url)
        .where(media.c.canonical_url.is_not(None))
        .group_by(media.c.kind, media.c.canonical_url)
        .having(func.count() > 1)
        .subquery()
    )
    return int(tx.execute(select(func.count()).select_from(double)).scalar_one())
