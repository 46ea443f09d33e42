"""Queries about libraries and their members."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    Uuid,
    bindparam,
    column,
    delete,
    func,
    literal,
    select,
    true,
    type_coerce,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY

from kept.domain.library import Library, Member, Role
from kept.storage.database.dialects import Query
from kept.storage.database.engine import Connection
from kept.storage.tables import items, libraries, library_members, users

FIND_DEFAULT: Final = select(libraries.c.id).where(libraries.c.owner_id == bindparam("user_id"), libraries.c.is_default)
LIBRARY: Final = "library"


def library_from(row: RowMapping) -> Library:
    names = ("id", "name", "owner_id", "is_default", "created_at", "updated_at", "captures_pages")
    return Library(*(row[name] for name in names))


def member_from(row: RowMapping) -> Member:
    return Member(row["library_id"], row["user_id"], row["name"], Role(row["role"]))


def insert_library(tx: Connection, library: Library) -> None:
    tx.execute(
        libraries.insert().values(
            id=library.id,
            name=library.name,
            owner_id=library.owner_id,
            is_default=library.is_default,
            created_at=library.created_at,
            updated_at=library.updated_at,
        )
    )


def list_libraries(tx: Connection, user_id: UUID) -> list[tuple[Library, Role]]:
    """List the libraries a user is a member of, the personal one first."""
    query = (
        select(libraries, library_members.c.role)
        .join(library_members, library_members.c.library_id == libraries.c.id)
        .where(library_members.c.user_id == user_id)
        .order_by((libraries.c.owner_id == user_id).desc(), libraries.c.is_default.desc(), libraries.c.name)
    )
    return [(library_from(row), Role(row["role"])) for row in tx.execute(query).mappings()]


def find_library(tx: Connection, library_id: UUID, user_id: UUID) -> tuple[Library, Role] | None:
    """Find a library and the user's role in it; None where they are no member."""
    query = (
        select(libraries, library_members.c.role)
        .join(library_members, library_members.c.library_id == libraries.c.id)
        .where(libraries.c.id == library_id, library_members.c.user_id == user_id)
    )
    row = tx.execute(query).mappings().one_or_none()
    return (library_from(row), Role(row["role"])) if row else None


def get_default_library_id(tx: Connection, user_id: UUID) -> UUID:
    row = tx.execute(FIND_DEFAULT, {"user_id": user_id}).first()
    if row is None:
        raise LookupError("every user has a library of their own")
    library_id: UUID = row[0]
    return library_id


def rename_library(tx: Connection, library_id: UUID, name: str, now: datetime) -> None:
    tx.execute(update(libraries).where(libraries.c.id == library_id).values(name=name, updated_at=now))


def set_captures_pages(tx: Connection, library_id: UUID, wanted: bool, now: datetime) -> None:
    changed = update(libraries).where(libraries.c.id == library_id)
    tx.execute(changed.values(captures_pages=wanted, updated_at=now))


def delete_library(tx: Connection, library_id: UUID) -> None:
    tx.execute(delete(libraries).where(libraries.c.id == library_id))


def list_members(tx: Connection, library_id: UUID) -> list[Member]:
    query = (
        select(library_members, users.c.name)
        .join(users, users.c.id == library_members.c.user_id)
        .where(library_members.c.library_id == library_id)
        .order_by(users.c.name)
    )
    return [member_from(row) for row in tx.execute(query).mappings()]


def find_successor(tx: Connection, library_id: UUID, leaving: UUID) -> Member | None:
    """Find who takes over a library if a member leaves: an admin if there is one, else who joined first."""
    query = (
        select(library_members, users.c.name)
        .join(users, users.c.id == library_members.c.user_id)
        .where(library_members.c.library_id == library_id, library_members.c.user_id != leaving)
        .order_by((library_members.c.role == Role.ADMIN).desc(), library_members.c.created_at, users.c.id)
        .limit(1)
    )
    row = tx.execute(query).mappings().one_or_none()
    return member_from(row) if row else None


def change_owner(tx: Connection, library_id: UUID, owner_id: UUID, now: datetime) -> None:
    tx.execute(update(libraries).where(libraries.c.id == library_id).values(owner_id=owner_id, updated_at=now))


def insert_member(tx: Connection, library_id: UUID, user_id: UUID, role: Role, now: datetime) -> None:
    tx.execute(library_members.insert().values(library_id=library_id, user_id=user_id, role=role, created_at=now))


def update_member_role(tx: Connection, library_id: UUID, user_id: UUID, role: Role) -> bool:
    member = (library_members.c.library_id == library_id, library_members.c.user_id == user_id)
    return tx.execute(update(library_members).where(*member).values(role=role)).rowcount == 1


def delete_member(tx: Connection, library_id: UUID, user_id: UUID) -> bool:
    member = (library_members.c.library_id == library_id, library_members.c.user_id == user_id)
    return tx.execute(delete(library_members).where(*member)).rowcount == 1


def lock_library(tx: Connection, library_id: UUID) -> None:
    """Lock the library until the transaction ends, so that rules over all its members see one state.

    SQLite has one writer anyway and knows no FOR UPDATE; SQLAlchemy leaves it out there.
    """
    tx.execute(select(libraries.c.id).where(libraries.c.id == library_id).with_for_update())


def first_of_each(tx: Connection, library_ids: Sequence[UUID], query: Query) -> Any:
    """Select the ids that `query`, ordered and limited, finds in each of the libraries; it has no condition on them.

    Each library is read by its own index, so that a list of a hundred thousand items is never sorted to show thirty.
    """
    return (of_each_sqlite if tx.dialect.name == "sqlite" else of_each_postgresql)(library_ids, query)


def of_each_postgresql(library_ids: Sequence[UUID], query: Query) -> Any:
    listed = func.unnest(literal(list(library_ids), ARRAY(Uuid())))
    libraries = listed.table_valued(column("id", Uuid()), name=LIBRARY).render_derived()
    found = query.where(items.c.library_id == libraries.c.id).correlate(libraries).lateral("found")
    return select(found.c.id).select_from(libraries.join(found, true()))


def of_each_sqlite(library_ids: Sequence[UUID], query: Query) -> Any:
    """Do the same on SQLite, which has no lateral joins but table functions that take a subquery."""
    listed = json.dumps([library_id.hex for library_id in library_ids])
    libraries = func.json_each(listed).table_valued("value", name=LIBRARY)
    is_there: ColumnElement[bool] = items.c.library_id == type_coerce(libraries.c.value, Uuid())
    found = query.where(is_there).correlate(libraries).subquery("found")
    gathered = select(func.json_group_array(found.c.id)).correlate(libraries).scalar_subquery()
    each = func.json_each(gathered).table_valued("value", name="each")
    return select(type_coerce(each.c.value, Uuid())).select_from(libraries.join(each, true()))
