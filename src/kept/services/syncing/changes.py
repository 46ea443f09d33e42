"""What changed since a moment, and which URLs are saved, for programs that sync."""

from collections.abc import AsyncIterator, Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.synced import NumberKind, SyncEvent
from kept.services.libraries.libraries import get_default_library_id
from kept.services.pages.identity import find_page_at
from kept.storage import items, libraries, sync, synced_lists
from kept.storage.database.engine import Connection, Database
from kept.urls.identity import hash_spellings

PAGE: Final = 2_000
# A row gets its time a moment before others can see it: whoever asked in between must get it the next time.
SLACK: Final = timedelta(seconds=10)
AT_ONCE: Final = 500
# More than fit into a URL that a server accepts.
MOST_ASKED: Final = 1_000


async def iterate_changes(database: Database, viewer: Viewer, since: datetime | None) -> AsyncIterator[list[SyncEvent]]:
    """Yield what became of the items of the viewer's own library since a moment, a page per transaction.

    Removals are included only with a `since`: a program that asks for everything holds nothing yet.
    """
    start = since - SLACK if since else None
    if start is not None:
        yield await database.read(_list_removals, viewer, start)
    after: SyncEvent | None = None
    while True:
        page = await database.read(_list_changes, viewer, start, after)
        yield page
        if len(page) < PAGE:
            return
        after = page[-1]


def _list_removals(tx: Connection, viewer: Viewer, since: datetime) -> list[SyncEvent]:
    return synced_lists.list_removals(tx, libraries.get_default_library_id(tx, viewer.user_id), since)


def _list_changes(tx: Connection, viewer: Viewer, since: datetime | None, after: SyncEvent | None) -> list[SyncEvent]:
    own = libraries.get_default_library_id(tx, viewer.user_id)
    return synced_lists.list_changes(tx, own, since, after, limit=PAGE)


async def hash_new_urls(database: Database, library_id: UUID | None = None) -> None:
    """Hash the URLs of items that were saved or got another URL since the last hashing, in one library or all.

    A worker does it once a minute; whoever asks for hashes earlier has their own library hashed first, because some
    apps delete what an answer does not name. Some are hashed at a time, so that no save waits long.
    """
    while await database.read(_has_more, library_id):
        await database.write_relaxed(_hash_some, library_id)


def _has_more(tx: Connection, library_id: UUID | None) -> bool:
    return bool(sync.list_unhashed(tx, library_id, 1))


def _hash_some(tx: Connection, library_id: UUID | None) -> None:
    found = sync.list_unhashed(tx, library_id, AT_ONCE)
    if found:
        hashed = [(urls, hash_spellings(urls.url, urls.canonical_url)) for urls in found]
        sync.replace_hashes(tx, hashed)


async def find_saved_urls(
    database: Database, viewer: Viewer, urls: Collection[str], hashes: Collection[str]
) -> dict[str, int]:
    """Return the numbers of items in the viewer's own library with these URLs, by URL or hash as it was asked."""
    await hash_new_urls(database, await database.read(get_default_library_id, viewer))
    return await database.read(_find, viewer, list(urls)[:MOST_ASKED], list(hashes)[:MOST_ASKED])


def _find(tx: Connection, viewer: Viewer, urls: list[str], hashes: list[str]) -> dict[str, int]:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    spellings = {url: hash_spellings(url) for url in urls}
    wanted = {*(one.lower() for one in hashes), *(one for some in spellings.values() for one in some)}
    by_hash = sync.find_by_hash(tx, library_id, wanted)
    found = {one: by_hash[one.lower()] for one in hashes if one.lower() in by_hash}
    for url, some in spellings.items():
        item_id = next((by_hash[one] for one in some if one in by_hash), None) or _find_item(tx, library_id, url)
        if item_id is not None:
            found[url] = item_id
    numbered = sync.list_numbers(tx, NumberKind.ITEM, list(found.values()))
    return {asked: numbered[item_id] for asked, item_id in found.items() if item_id in numbered}


def _find_item(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    media_id = find_page_at(tx, library_id, url)
    item = items.find_item_of_media(tx, library_id, media_id) if media_id else None
    return item.id if item else None
