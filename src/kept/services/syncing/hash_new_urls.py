"""Hash the URLs of items that were saved, or got another URL, since somebody asked last."""

from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection, Database
from kept.urls.hashing import hash_spellings

AT_ONCE: Final = 500


async def hash_new_urls(database: Database, viewer: Viewer) -> None:
    """Of the viewer's own library; some at a time, so that nobody who saves waits long."""
    library_id = await database.read(_find_unhashed, viewer)
    while library_id is not None and await database.write_relaxed(_hash_some, library_id):
        pass


def _find_unhashed(tx: Connection, viewer: Viewer) -> UUID | None:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    return library_id if synced_items.has_unhashed(tx, library_id) else None


def _hash_some(tx: Connection, library_id: UUID) -> bool:
    """Whether there may be more."""
    found = synced_items.list_unhashed(tx, library_id, AT_ONCE)
    if found:
        synced_items.replace_hashes(tx, {item_id: hash_spellings(url, canonical) for item_id, url, canonical in found})
    return len(found) == AT_ONCE
