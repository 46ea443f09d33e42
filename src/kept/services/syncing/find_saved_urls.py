"""Which of some URLs, or hashes of URLs, the viewer's own library holds."""

from collections.abc import Collection
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.synced import NumberKind
from kept.services.libraries.libraries import get_default_library_id
from kept.services.syncing.hash_new_urls import hash_new_urls
from kept.storage import items, libraries, media, numbers, synced_items
from kept.storage.database.engine import Connection, Database
from kept.urls.hashing import hash_spellings
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, parse_url

# More than fit into a URL that a server accepts.
MOST_ASKED: Final = 1_000


async def find_saved_urls(
    database: Database, viewer: Viewer, urls: Collection[str], hashes: Collection[str]
) -> dict[str, int]:
    """The numbers of their items, by URL or hash as it was asked."""
    await hash_new_urls(database, await database.read(get_default_library_id, viewer))
    return await database.read(_find, viewer, list(urls)[:MOST_ASKED], list(hashes)[:MOST_ASKED])


def _find(tx: Connection, viewer: Viewer, urls: list[str], hashes: list[str]) -> dict[str, int]:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    spellings = {url: hash_spellings(url) for url in urls}
    wanted = {*(one.lower() for one in hashes), *(one for some in spellings.values() for one in some)}
    by_hash = synced_items.find_by_hash(tx, library_id, wanted)
    found = {one: by_hash[one.lower()] for one in hashes if one.lower() in by_hash}
    for url, some in spellings.items():
        item_id = next((by_hash[one] for one in some if one in by_hash), None) or _find_page(tx, library_id, url)
        if item_id is not None:
            found[url] = item_id
    numbered = numbers.list_numbers(tx, NumberKind.ITEM, list(found.values()))
    return {asked: numbered[item_id] for asked, item_id in found.items() if item_id in numbered}


def _find_page(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    """By the page it leads to, however it is spelt."""
    match parse_url(url):
        case NormalisedUrl() as parsed:
            media_id = media.find_page(tx, library_id, str(parsed))
        case OtherSchemeUrl(text=text):
            media_id = media.find_page(tx, library_id, text)
        case _:
            return None
    item = items.find_item_of_media(tx, library_id, media_id) if media_id else None
    return item.id if item else None
