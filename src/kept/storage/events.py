"""Events of live updates: one row per library that holds the media, tailed by each API process."""

from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, delete, func, select

from kept.domain.events import Event
from kept.domain.item import Item
from kept.storage.database.engine import Connection
from kept.storage.tables import events, items, library_members

INSERT_EVENTS: Final = events.insert().from_select(
    ["library_id", "kind", "subject_id", "created_at"],
    select(
        items.c.library_id,
        bindparam("kind", type_=events.c.kind.type),
        items.c.id,
        bindparam("now", type_=events.c.created_at.type),
    ).where(items.c.media_id == bindparam("media_id")),
)

INSERT_USER_EVENTS: Final = events.insert().from_select(
    ["user_id", "kind", "subject_id", "created_at"],
    select(
        bindparam("user_id", type_=events.c.user_id.type),
        bindparam("kind", type_=events.c.kind.type),
        items.c.id,
        bindparam("now", type_=events.c.created_at.type),
    )
    .join(library_members, library_members.c.library_id == items.c.library_id)
    .where(items.c.media_id == bindparam("media_id"), library_members.c.user_id == bindparam("member_id")),
)


def publish_event(tx: Connection, media_id: UUID, kind: str, now: datetime) -> None:
    """Publish an event for each library that holds the media, in the transaction of the change itself."""
    tx.execute(INSERT_EVENTS, {"media_id": media_id, "kind": kind, "now": now})


def publish_item_event(tx: Connection, item: Item, kind: str, now: datetime) -> None:
    """Publish an event about one item alone; other libraries' copies of the page are unchanged."""
    tx.execute(events.insert().values(library_id=item.library_id, kind=kind, subject_id=item.id, created_at=now))


def publish_user_event(tx: Connection, user_id: UUID, media_id: UUID, kind: str, now: datetime) -> None:
    """Publish an event for one user alone, such as about a reading state, for each of their items of the media."""
    values = {"user_id": user_id, "member_id": user_id, "media_id": media_id, "kind": kind, "now": now}
    tx.execute(INSERT_USER_EVENTS, values)


def find_latest(tx: Connection) -> int:
    return tx.execute(select(func.max(events.c.id))).scalar_one() or 0


def list_after(tx: Connection, event_id: int, *, limit: int) -> list[Event]:
    """List events in order, each with the current members of its library."""
    query = select(events).where(events.c.id > event_id).order_by(events.c.id).limit(limit)
    rows = tx.execute(query).mappings().all()
    members = list_audiences(tx, {row["library_id"] for row in rows if row["library_id"]})
    return [
        Event(
            row["id"],
            row["kind"],
            row["subject_id"],
            frozenset({row["user_id"]}) if row["user_id"] else members.get(row["library_id"], frozenset()),
        )
        for row in rows
    ]


def list_audiences(tx: Connection, library_ids: set[UUID]) -> dict[UUID, frozenset[UUID]]:
    if not library_ids:
        return {}
    query = select(library_members.c.library_id, library_members.c.user_id)
    found: dict[UUID, frozenset[UUID]] = {}
    for library_id, user_id in tx.execute(query.where(library_members.c.library_id.in_(library_ids))):
        found[library_id] = found.get(library_id, frozenset()) | {user_id}
    return found


def forget_before(tx: Connection, then: datetime) -> None:
    """Delete old events, except the newest, by which a listener knows that it has missed nothing."""
    newest = select(func.max(events.c.id)).scalar_subquery()
    tx.execute(delete(events).where(events.c.created_at < then, events.c.id < newest))
