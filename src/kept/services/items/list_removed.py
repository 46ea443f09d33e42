"""What the viewer removed within the last thirty days, the latest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.paging import PageRequest, Position, parse_position, write_position
from kept.services.items.remove_items import RESTORE_WITHIN
from kept.storage import removed_items
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    item_id: UUID
    title: str | None
    url: str
    library_name: str
    removed_at: datetime
    forgotten_at: datetime


@dataclass(frozen=True, slots=True)
class RemovedPage:
    entries: Sequence[RemovedEntry]
    next_cursor: str | None


def list_removed(tx: Connection, viewer: Viewer, page: PageRequest, *, now: datetime) -> RemovedPage:
    after = parse_position(page.cursor) if page.cursor else None
    rows = removed_items.list_removed(tx, viewer.user_id, after, limit=page.limit + 1)
    shown = [
        RemovedEntry(row.item_id, row.title, row.url, row.library_name, row.removed_at, row.removed_at + RESTORE_WITHIN)
        for row in rows[: page.limit]
        if row.removed_at > now - RESTORE_WITHIN
    ]
    if len(rows) <= page.limit:
        return RemovedPage(shown, None)
    last = rows[page.limit - 1]
    return RemovedPage(shown, write_position(Position(last.removed_at, last.item_id)))
