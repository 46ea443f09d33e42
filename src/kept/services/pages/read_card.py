"""A card, and what the viewer may do with it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.library import Role
from kept.services.pages.get_card import get_card
from kept.storage import libraries
from kept.storage.database.engine import Connection


def read_card(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[Card, Role]:
    card = get_card(tx, viewer, item_id)
    found = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    assert found is not None  # get_card saw the membership
    return card, found[1]
