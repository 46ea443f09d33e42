"""One item as an app is told of it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.services.syncing.describe_synced import SyncedItem, describe_synced
from kept.storage.database.engine import Connection


def get_synced_item(tx: Connection, viewer: Viewer, item_id: UUID, *, with_article: bool = True) -> SyncedItem:
    found = describe_synced(tx, viewer, [item_id], with_articles=with_article)
    if not found:
        raise NotFound
    return found[0]
