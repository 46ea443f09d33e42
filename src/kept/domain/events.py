"""Events of live updates: something happened to an item, and who may know."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    kind: str
    item_id: UUID
    audience: frozenset[UUID]
    """The users who may know of it."""
