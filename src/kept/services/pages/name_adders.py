"""The names of those who added items to shared libraries. For a unit of work."""

from collections.abc import Iterable
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.storage import users
from kept.storage.database.engine import Connection


def name_adders(tx: Connection, viewer: Viewer, cards: Iterable[Card]) -> dict[UUID, str]:
    """By the user's id; without the viewer, who knows."""
    added_by = {card.item.added_by for card in cards} - {None, viewer.user_id}
    return users.list_names(tx, [user_id for user_id in added_by if user_id is not None]) if added_by else {}
