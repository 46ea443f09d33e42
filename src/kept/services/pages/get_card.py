"""Get an item's card for one viewer, to read or to change it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.services.libraries.libraries import get_managed_library
from kept.storage import items
from kept.storage.database.engine import Connection


def get_card(tx: Connection, viewer: Viewer, item_id: UUID, *, to_change: bool = False) -> Card:
    """NotFound for what the viewer may not see and for what is not there alike; Forbidden for a change of what the
    viewer may only see."""
    card = items.find_card(tx, item_id, viewer.user_id)
    if card is None:
        raise NotFound
    if to_change:
        get_managed_library(tx, viewer, card.item.library_id)
    return card
