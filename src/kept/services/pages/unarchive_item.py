"""Bring an item back from the archive because its page is saved again. For a unit of work."""

from dataclasses import replace
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.item import Item
from kept.services.pages.put_reading_state import put_reading_state
from kept.storage import events, items
from kept.storage.database.engine import Connection


def unarchive_item(tx: Connection, viewer: Viewer, item: Item, now: datetime) -> bool:
    """Who saves a page again that they archived wants to read it: it is where a new one would be."""
    card = items.find_card(tx, item.id, viewer.user_id)
    if card is None or not card.reading.is_archived:
        return False
    put_reading_state(tx, viewer, item.media_id, replace(card.reading, is_archived=False), now)
    items.update_item(tx, item.id, created_at=now, updated_at=now)
    events.publish_event(tx, item.media_id, "changed", now)
    return True
