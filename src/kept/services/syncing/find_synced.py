"""Which items a list of an app shows, and how many there are. For a transaction of the caller's."""

from typing import Final
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.items.rank_items import RankRequest, rank_items
from kept.storage import libraries, synced_lists
from kept.storage.database.engine import Connection
from kept.storage.synced_lists import FoundItems, ListScope

# Words are looked for in the newest few hundred; what has no words, such as a tag alone, may be found everywhere.
MOST_FOUND: Final = 10_000


def find_synced(tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> FoundItems:
    """Of the viewer's own library."""
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    among = _search(tx, viewer, library_id, wanted) if wanted.searches else None
    return synced_lists.find_items(tx, ListScope(viewer.user_id, library_id, among), wanted, page)


def _search(tx: Connection, viewer: Viewer, library_id: UUID, wanted: SyncFilter) -> list[UUID]:
    """The search is told of tags and states, too: of a frequent word it finds the newest only."""
    tags = " ".join(f'tag:"{tag}"' for tag in wanted.tags)
    found: dict[UUID, None] = {}
    for text in wanted.searches:
        # the space says that nobody is still typing the last word
        asked = RankRequest(_narrow(library_id, wanted), parse_search(f"{tags} {text} " if text else ""))
        found |= dict.fromkeys(rank_items(tx, viewer, asked, offset=0, limit=MOST_FOUND).item_ids)
    return list(found)[:MOST_FOUND]


def _narrow(library_id: UUID, wanted: SyncFilter) -> ItemFilter:
    return ItemFilter(
        (library_id,),
        is_unread=wanted.is_unread,
        is_favourite=wanted.is_favourite,
        is_archived=wanted.is_archived,
        added_before=wanted.added_before,
        added_after=wanted.added_after,
    )
