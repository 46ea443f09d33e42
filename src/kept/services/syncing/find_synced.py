"""A page of a list as apps ask for it: which items it shows, what the caller reads of them, how many there are."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar
from uuid import UUID

from kept.content.search.query import parse_search
from kept.domain.account import Viewer
from kept.domain.item_filter import ItemFilter
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.items.search import RankRequest, rank_items
from kept.storage import libraries, synced_lists
from kept.storage.database.engine import Connection, Database
from kept.storage.synced_lists import ListScope

T = TypeVar("T")
Describe = Callable[[Connection, Sequence[UUID]], T]

# Words are looked for in the newest few hundred; what has no words, such as a tag alone, may be found everywhere.
MOST_FOUND: Final = 10_000


async def find_synced(
    database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]
) -> tuple[T, int]:
    """Of the viewer's own library: the page, as `describe` reads it from its items, and the number of all."""
    if wanted.searches or not synced_lists.is_counted_apart(wanted, page):
        return await database.read(_find, viewer, wanted, page, describe)
    (described, last), total = await asyncio.gather(
        database.read(_find_first, viewer, wanted, page, describe), database.read(_count, viewer, wanted)
    )
    return described, max(total, last)  # an item may have come between the two


def _find(tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]) -> tuple[T, int]:
    scope = _own_library(tx, viewer)
    among = _search(tx, viewer, scope.library_id, wanted) if wanted.searches else None
    found = synced_lists.find_items(tx, replace(scope, among=among), wanted, page)
    return describe(tx, found.item_ids), found.total


def _find_first(
    tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage, describe: Describe[T]
) -> tuple[T, int]:
    """And the place of the last of them in the list, if there is one."""
    found = synced_lists.find_first_items(tx, _own_library(tx, viewer), wanted, page)
    return describe(tx, found), page.offset + len(found) if found else 0


def _count(tx: Connection, viewer: Viewer, wanted: SyncFilter) -> int:
    return synced_lists.count_items(tx, _own_library(tx, viewer), wanted)


def _own_library(tx: Connection, viewer: Viewer) -> ListScope:
    return ListScope(viewer.user_id, libraries.get_default_library_id(tx, viewer.user_id))


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
