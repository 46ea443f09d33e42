"""Libraries, their members, and the rules that keep them sound."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from kept.domain.errors import Conflict, Forbidden, NotFound

AllLibraries = Literal["all"]
ALL_LIBRARIES: Final[AllLibraries] = "all"
LibraryChoice = UUID | AllLibraries | None
"""The choice of libraries for a list or a search: one, all the viewer is a member of, or None for their own."""


class Role(StrEnum):
    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Library:
    id: UUID
    name: str
    owner_id: UUID
    is_default: bool
    created_at: datetime
    updated_at: datetime
    captures_pages: bool = False
    """Whether a copy of the whole page is kept of everything that is saved here."""


@dataclass(frozen=True, slots=True)
class Member:
    library_id: UUID
    user_id: UUID
    user_name: str
    role: Role


def require_admin(role: Role | None) -> None:
    """Require an admin; raises NotFound for a library that one cannot see, else Forbidden."""
    if role is None:
        raise NotFound
    if role is not Role.ADMIN:
        raise Forbidden("Only an admin of this library may do that.")


def require_shared(library: Library) -> None:
    if library.is_default:
        raise Conflict("A personal library cannot be shared or removed.")


def require_another_admin(members: list[Member], leaving: UUID) -> None:
    """Require another admin: without one the library would be lost to its members."""
    if not any(member.role is Role.ADMIN and member.user_id != leaving for member in members):
        raise Conflict("A library needs at least one admin.")


def can_view(member_of: Collection[UUID], held_by: Collection[UUID]) -> bool:
    """Return whether a viewer may see a media: when one of their libraries holds it, and in no other case.

    Storage decides the same in SQL (`storage.visibility`); a test holds the two together.
    """
    return not set(member_of).isdisjoint(held_by)
