"""Who may see what. Storage asks the same question in SQL (`storage.visibility`); a test holds the two together."""

from collections.abc import Collection
from uuid import UUID


def can_view(member_of: Collection[UUID], held_by: Collection[UUID]) -> bool:
    """A viewer sees a media when one of their libraries holds it, and in no other case."""
    return not set(member_of).isdisjoint(held_by)
