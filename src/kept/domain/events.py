"""Events of live updates: something happened to an item, and who may know."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

HIGHLIGHTS: Final = "highlights"
"""The kind of an event that is about a person's highlights on the page, and nothing that a card shows."""


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    kind: str
    item_id: UUID
    audience: frozenset[UUID]
    """The users who may know of it."""
