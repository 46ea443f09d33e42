"""Items that were removed and can be restored, and batches of changes that can be undone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, RowMapping, delete, select, tuple_

from kept.domain.item import Card, Item, ItemUndo
from kept.domain.library import Role
from kept.domain.paging import Position
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import libraries, library_members, media, removed_items, undo_batches


@dataclass(frozen=True, slots=True)
class RemovedItem:
    """An item that was removed and can still be restored, with its tags."""

    item: Item
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RemovedRow:
    """A removed item as the list of removed items shows it."""

    item_id: UUID
    title: str | None
    url: str
    library_name: str
    removed_at: datetime


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


def take_batch(tx: Connection, batch_id: UUID, user_id: UUID, now: datetime) -> list[RemovedItem]:
    """Take the items that this user removed together out of the removed ones."""
    return _take(tx, user_id, removed_items.c.batch_id == batch_id, now)


def take_items(tx: Connection, item_ids: Sequence[UUID], user_id: UUID, now: datetime) -> list[RemovedItem]:
    """Take those of the items that this user removed out of the removed ones."""
    return _take(tx, user_id, removed_items.c.item_id.in_(item_ids), now)


def _take(tx: Connection, user_id: UUID, which: ColumnElement[bool], now: datetime) -> list[RemovedItem]:
    own = (which, removed_items.c.user_id == user_id)
    rows = tx.execute(select(removed_items).where(*own)).mappings().all()
    tx.execute(delete(removed_items).where(*own))
    return [removed_from(row, now) for row in rows]


def list_removed(tx: Connection, user_id: UUID, after: Position | None, *, limit: int) -> list[RemovedRow]:
    """List what a user removed from libraries that they may still change, the latest first."""
    query = (
        select(removed_items, libraries.c.name, media.c.title)
        .join(libraries, libraries.c.id == removed_items.c.library_id)
        .join(media, media.c.id == removed_items.c.media_id)
        .join(library_members, library_members.c.library_id == removed_items.c.library_id)
        .where(
            removed_items.c.user_id == user_id,
            library_members.c.user_id == user_id,
            library_members.c.role == Role.ADMIN,
        )
        .order_by(removed_items.c.removed_at.desc(), removed_items.c.item_id.desc())
        .limit(limit)
    )
    if after is not None:
        place = tuple_(removed_items.c.removed_at, removed_items.c.item_id)
        query = query.where(place < (after.created_at, after.item_id))
    return [row_from(row) for row in tx.execute(query).mappings()]


def row_from(row: RowMapping) -> RemovedRow:
    content = row["content"]
    title = content["title"] or row["title"]
    return RemovedRow(row["item_id"], title, content["url"], row["name"], row["removed_at"])


def forget_items(tx: Connection, item_ids: Sequence[UUID], user_id: UUID) -> int:
    own = (removed_items.c.item_id.in_(item_ids), removed_items.c.user_id == user_id)
    return tx.execute(delete(removed_items).where(*own)).rowcount


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


def insert_batch(tx: Connection, batch_id: UUID, user_id: UUID, changes: Sequence[ItemUndo], now: datetime) -> None:
    """Store how to undo what a user changed."""
    written = [write_undo(change) for change in changes]
    tx.execute(undo_batches.insert().values(id=batch_id, user_id=user_id, changes=written, created_at=now))


def take_undo_batch(tx: Connection, batch_id: UUID, user_id: UUID) -> list[ItemUndo] | None:
    """Take an undo batch of this user, which works only once; None where there is no such batch."""
    own = (undo_batches.c.id == batch_id, undo_batches.c.user_id == user_id)
    changes = tx.scalar(select(undo_batches.c.changes).where(*own))
    tx.execute(delete(undo_batches).where(*own))
    return None if changes is None else [parse_undo(change) for change in changes]


def forget_undo_before(tx: Connection, then: datetime) -> None:
    tx.execute(delete(undo_batches).where(undo_batches.c.created_at < then))


def write_undo(undo: ItemUndo) -> dict[str, object]:
    reading = {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in undo.reading.items()
    }
    return {
        "item": str(undo.item_id),
        "reading": reading,
        "add_tags": list(undo.add_tags),
        "remove_tags": list(undo.remove_tags),
        "library": str(undo.library_id) if undo.library_id else None,
    }


def parse_undo(row: dict[str, object]) -> ItemUndo:
    match row:
        case {
            "item": str(item),
            "reading": dict(reading),
            "add_tags": list(added),
            "remove_tags": list(removed),
            "library": library,
        }:
            read_at = reading.get("read_at")
            if isinstance(read_at, str):
                reading = {**reading, "read_at": datetime.fromisoformat(read_at)}
            library_id = UUID(library) if isinstance(library, str) else None
            return ItemUndo(UUID(item), reading, tuple(added), tuple(removed), library_id)
    raise ValueError("not an undo of an item")
