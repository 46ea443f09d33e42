"""Queries of the clean-up: media that no library holds, and what hangs on them."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, exists, select

from kept.storage.database.engine import Connection
from kept.storage.tables import items, jobs, media, removed_items

# Tables whose rows keep the media they name.
HOLDERS: Final = (items, removed_items)
# A page that is being fetched is not judged yet; storing images of a page nobody has is no reason to have it.
AT_WORK: Final = ("ingest", "render")


def is_orphan() -> ColumnElement[bool]:
    condition: ColumnElement[bool] = ~exists().where(jobs.c.subject_id == media.c.id, jobs.c.kind.in_(AT_WORK))
    for table in HOLDERS:
        condition = condition & ~exists().where(table.c.media_id == media.c.id)
    return condition


def list_orphans(tx: Connection, *, limit: int) -> list[UUID]:
    return list(tx.execute(select(media.c.id).where(is_orphan()).limit(limit)).scalars())


def lock_if_orphan(tx: Connection, media_id: UUID) -> bool:
    """Lock first, look after: on PostgreSQL an item inserted a moment ago holds the row until its transaction ends,
    and only a statement that begins after that sees it. From then on no item can be inserted until we are done."""
    locked = tx.execute(select(media.c.id).where(media.c.id == media_id).with_for_update()).first()
    if locked is None:
        return False
    return bool(tx.execute(select(exists().where(media.c.id == media_id, is_orphan()))).scalar_one())


def find_existing(tx: Connection, media_ids: Iterable[UUID]) -> set[UUID]:
    return set(tx.execute(select(media.c.id).where(media.c.id.in_(list(media_ids)))).scalars())
