"""A page of the viewer's own library as apps list it: by offset, with the exact number of all."""

from kept.domain.account import Viewer
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.syncing.describe_synced import SyncedList, describe_synced
from kept.services.syncing.find_synced import find_synced
from kept.storage.database.engine import Connection, Database


async def list_synced_items(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    return await database.read(_list, viewer, wanted, page)


def _list(tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    found = find_synced(tx, viewer, wanted, page)
    return SyncedList(describe_synced(tx, viewer, found.item_ids, with_articles=page.with_articles), found.total)
