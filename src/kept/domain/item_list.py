"""A list somebody looks at: of a library or of all, narrowed, or what a search finds there."""

from dataclasses import dataclass, field

from kept.domain.item_filter import ItemFilter
from kept.domain.library import LibraryChoice


@dataclass(frozen=True, slots=True)
class ItemList:
    library: LibraryChoice = None
    filter: ItemFilter = field(default_factory=ItemFilter)
    """Whoever lists fills in the libraries."""
    text: str | None = None
    """What is searched for."""
    by_date: bool = False
    """Whether what a search finds is in the order of the filter, and not the best first."""
