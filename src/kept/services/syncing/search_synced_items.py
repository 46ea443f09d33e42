"""What searches of the viewer's own library find, as apps list it. Several searches find what any of them does."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.items.rank_items import RankRequest, rank_items
from kept.services.syncing.describe_synced import SyncedList, describe_synced
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection, Database

# Words are looked for in the newest few hundred; what has no words, such as a tag alone, may be found everywhere.
MOST_FOUND: Final = 10_000


async def search_synced_items(
    database: Database, viewer: Viewer, texts: Sequence[str], wanted: SyncFilter, page: SyncPage
) -> SyncedList:
    return await database.read(_search, viewer, texts, wanted, page)


def _search(tx: Connection, viewer: Viewer, texts: Sequence[str], wanted: SyncFilter, page: SyncPage) -> SyncedList:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    among: set[UUID] = set()
    for text in texts:
        # the space says that nobody is still typing the last word
        asked = RankRequest(ItemFilter((library_id,)), parse_search(f"{text} "))
        among.update(rank_items(tx, viewer, asked, offset=0, limit=MOST_FOUND).item_ids)
    found = list(among)[:MOST_FOUND]
    total = synced_items.count(tx, library_id, wanted, found)
    listed = synced_items.list_ids(tx, library_id, wanted, page, found) if page.offset < total else []
    return SyncedList(describe_synced(tx, viewer, listed, with_articles=page.with_articles), total)
