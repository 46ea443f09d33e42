"""Hash the URLs of items that were saved, or got another URL, since they were hashed last.

A worker does it once a minute; whoever asks for hashes before has their own library done first, so that no answer lacks
any: some apps delete what an answer does not name.
"""

from typing import Final
from uuid import UUID

from kept.storage import synced_items
from kept.storage.database.engine import Connection, Database
from kept.urls.hashing import hash_spellings

AT_ONCE: Final = 500


async def hash_new_urls(database: Database, library_id: UUID | None = None) -> None:
    """Of one library, or of all; some at a time, so that nobody who saves waits long."""
    while await database.read(_has_more, library_id):
        await database.write_relaxed(_hash_some, library_id)


def _has_more(tx: Connection, library_id: UUID | None) -> bool:
    return bool(synced_items.list_unhashed(tx, library_id, 1))


def _hash_some(tx: Connection, library_id: UUID | None) -> None:
    found = synced_items.list_unhashed(tx, library_id, AT_ONCE)
    if found:
        hashed = [(urls, hash_spellings(urls.url, urls.canonical_url)) for urls in found]
        synced_items.replace_hashes(tx, hashed)
