"""What became of one change to several items: how many changed, how many did not, and how to take it back."""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from kept.domain.item import ReadingState

UNDOABLE_READING: Final = ("is_favourite", "is_archived", "read_at")


@dataclass(frozen=True, slots=True)
class BulkResult:
    changed: tuple[UUID, ...] = ()
    unchanged: int = 0
    """Items that were so already."""
    refused: int = 0
    """Items that are gone, that the viewer may not change, or whose state does not allow it."""
    undo: UUID | None = None
    """The batch that `undo_batch` takes back."""


@dataclass(frozen=True, slots=True)
class ItemUndo:
    """What takes the change of one item back."""

    item_id: UUID
    reading: dict[str, object] = field(default_factory=dict)
    """The fields of the reading state that changed, as they were."""
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    library_id: UUID | None = None
    """Where it was moved from."""

    @property
    def is_empty(self) -> bool:
        return self == ItemUndo(self.item_id)


def undo_reading(before: ReadingState, after: ReadingState) -> dict[str, object]:
    """The fields that differ, as they were before."""
    fields = {name: getattr(before, name) for name in UNDOABLE_READING}
    return {name: value for name, value in fields.items() if value != getattr(after, name)}
