"""Queries about items that were removed and can still be brought back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import RowMapping, delete, select

from kept.domain.item import Card, Item
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import removed_items


@dataclass(frozen=True, slots=True)
class RemovedItem:
    item: Item
    tags: tuple[str, ...]


def remember_removed(tx: Connection, batch_id: UUID, user_id: UUID, cards: Iterable[Card], now: datetime) -> None:
    for card in cards:
        values: dict[str, object] = {
            "batch_id": batch_id,
            "user_id": user_id,
            "library_id": card.item.library_id,
            "media_id": card.media.id,
            "content": content_of(card),
            "removed_at": now,
        }
        insert = upsert(tx, removed_items).values(item_id=card.item.id, **values)
        tx.execute(insert.on_conflict_do_update(index_elements=["item_id"], set_=values))


def content_of(card: Card) -> dict[str, object]:
    item = card.item
    return {
        "url": item.url,
        "added_by": str(item.added_by) if item.added_by else None,
        "title": item.title,
        "excerpt": item.excerpt,
        "note": item.note,
        "tags": list(card.tags),
        "created_at": item.created_at.isoformat(),
    }


def take_removed(tx: Connection, batch_id: UUID, user_id: UUID, now: datetime) -> list[RemovedItem]:
    """The items that this user removed together; from here on they are no longer remembered."""
    own = (removed_items.c.batch_id == batch_id, removed_items.c.user_id == user_id)
    rows = tx.execute(select(removed_items).where(*own)).mappings().all()
    tx.execute(delete(removed_items).where(*own))
    return [removed_from(row, now) for row in rows]


def removed_from(row: RowMapping, now: datetime) -> RemovedItem:
    content = row["content"]
    item = Item(
        id=row["item_id"],
        library_id=row["library_id"],
        media_id=row["media_id"],
        url=content["url"],
        added_by=UUID(content["added_by"]) if content["added_by"] else None,
        title=content["title"],
        excerpt=content["excerpt"],
        note=content["note"],
        created_at=datetime.fromisoformat(content["created_at"]),
        updated_at=now,
    )
    return RemovedItem(item, tuple(content["tags"]))


def forget_before(tx: Connection, then: datetime) -> None:
    tx.execute(delete(removed_items).where(removed_items.c.removed_at < then))
