"""One card, and when anything of it changed."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.services.pages.cards import get_card
from kept.storage import synced_items
from kept.storage.database.engine import Connection


def get_synced_card(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[Card, datetime]:
    card = get_card(tx, viewer, item_id)
    state = synced_items.find_states(tx, [card.item.id]).get(card.item.id)
    return card, state.changed_at if state else card.item.updated_at
