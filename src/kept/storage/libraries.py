"""Queries about libraries and their members."""

from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import RowMapping, bindparam, delete, select, update

from kept.domain.library import Library, Member, Role
from kept.storage.database.engine import AsyncConnection
from kept.storage.database.prepared import Prepared
from kept.storage.tables import libraries, library_members, users

FIND_DEFAULT: Final = Prepared(
    select(libraries.c.id).where(libraries.c.owner_id == bindparam("user_id"), libraries.c.is_default)
)


def library_from(row: RowMapping) -> Library:
    return Library(row["id"], row["name"], row["owner_id"], row["is_default"], row["created_at"], row["updated_at"])


async def insert_library(tx: AsyncConnection, library: Library) -> None:
    await tx.execute(
        libraries.insert().values(
            id=library.id,
            name=library.name,
            owner_id=library.owner_id,
            is_default=library.is_default,
            created_at=library.created_at,
            updated_at=library.updated_at,
        )
    )


async def list_libraries(tx: AsyncConnection, user_id: UUID) -> list[tuple[Library, Role]]:
    """The libraries a user is a member of, the personal one first."""
    query = (
        select(libraries, library_members.c.role)
        .join(library_members, library_members.c.library_id == libraries.c.id)
        .where(library_members.c.user_id == user_id)
        .order_by((libraries.c.owner_id == user_id).desc(), libraries.c.is_default.desc(), libraries.c.name)
    )
    return [(library_from(row), Role(row["role"])) for row in (await tx.execute(query)).mappings()]


async def find_library(tx: AsyncConnection, library_id: UUID, user_id: UUID) -> tuple[Library, Role] | None:
    """A library as a user sees it: None where they are no member."""
    query = (
        select(libraries, library_members.c.role)
        .join(library_members, library_members.c.library_id == libraries.c.id)
        .where(libraries.c.id == library_id, library_members.c.user_id == user_id)
    )
    row = (await tx.execute(query)).mappings().one_or_none()
    return (library_from(row), Role(row["role"])) if row else None


async def get_default_library_id(tx: AsyncConnection, user_id: UUID) -> UUID:
    row = await FIND_DEFAULT.find(tx, {"user_id": user_id})
    if row is None:
        raise LookupError("every user has a library of their own")
    library_id: UUID = row[0]
    return library_id


async def rename_library(tx: AsyncConnection, library_id: UUID, name: str, now: datetime) -> None:
    await tx.execute(update(libraries).where(libraries.c.id == library_id).values(name=name, updated_at=now))


async def delete_library(tx: AsyncConnection, library_id: UUID) -> None:
    await tx.execute(delete(libraries).where(libraries.c.id == library_id))


async def list_members(tx: AsyncConnection, library_id: UUID) -> list[Member]:
    query = (
        select(library_members, users.c.name)
        .join(users, users.c.id == library_members.c.user_id)
        .where(library_members.c.library_id == library_id)
        .order_by(users.c.name)
    )
    return [
        Member(row["library_id"], row["user_id"], row["name"], Role(row["role"]))
        for row in (await tx.execute(query)).mappings()
    ]


async def insert_member(tx: AsyncConnection, library_id: UUID, user_id: UUID, role: Role, now: datetime) -> None:
    await tx.execute(library_members.insert().values(library_id=library_id, user_id=user_id, role=role, created_at=now))


async def update_member_role(tx: AsyncConnection, library_id: UUID, user_id: UUID, role: Role) -> bool:
    member = (library_members.c.library_id == library_id, library_members.c.user_id == user_id)
    return (await tx.execute(update(library_members).where(*member).values(role=role))).rowcount == 1


async def delete_member(tx: AsyncConnection, library_id: UUID, user_id: UUID) -> bool:
    member = (library_members.c.library_id == library_id, library_members.c.user_id == user_id)
    return (await tx.execute(delete(library_members).where(*member))).rowcount == 1


async def lock_library(tx: AsyncConnection, library_id: UUID) -> None:
    """Holds the library until the transaction ends, so that rules over all its members see one state.

    SQLite has one writer anyway and knows no FOR UPDATE; SQLAlchemy leaves it out there.
    """
    await tx.execute(select(libraries.c.id).where(libraries.c.id == library_id).with_for_update())
