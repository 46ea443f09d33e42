"""A page of the viewer's own library as apps list it: by offset, with the exact number of all."""

from collections.abc import Sequence
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.synced import SyncFilter, SyncPage
from kept.services.syncing.describe_synced import SyncedItem, SyncedList, describe_synced
from kept.services.syncing.find_synced import find_synced
from kept.storage.database.engine import Connection, Database


async def list_synced_items(database: Database, viewer: Viewer, wanted: SyncFilter, page: SyncPage) -> SyncedList:
    def describe(tx: Connection, item_ids: Sequence[UUID]) -> list[SyncedItem]:
        return describe_synced(tx, viewer, item_ids, with_articles=page.with_articles)

    return SyncedList(*await find_synced(database, viewer, wanted, page, describe))
