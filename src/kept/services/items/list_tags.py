"""The tags of a library, or of all, each with how many items have it."""

from dataclasses import dataclass

from kept.domain.account import Viewer
from kept.domain.library import Library, LibraryChoice
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import items, libraries
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class TagList:
    library: Library | None
    """None for all libraries."""
    tags: list[tuple[str, int]]


def list_tags(tx: Connection, viewer: Viewer, library: LibraryChoice) -> TagList:
    """Without a library, of the viewer's own."""
    library_ids = choose_readable_libraries(tx, viewer, library)
    found = libraries.find_library(tx, library_ids[0], viewer.user_id) if len(library_ids) == 1 else None
    return TagList(found[0] if found else None, items.count_tags(tx, library_ids))
