"""A page of the viewer's own library as apps list it: by offset, with the exact number of all."""

from kept.domain.account import Viewer
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.syncing.describe_synced import SyncedList, describe_synced
from kept.storage import libraries, synced_items
from kept.storage.database.engine import Connection, Database


async def list_synced_items(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    return await database.read(_list, viewer, wanted, page)


def _list(tx: Connection, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    total = synced_items.count(tx, library_id, wanted)
    found = synced_items.list_ids(tx, library_id, wanted, page) if page.offset < total else []
    return SyncedList(describe_synced(tx, viewer, found, with_articles=page.with_articles), total)
