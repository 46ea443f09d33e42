"""The pages of which only the card was saved, for whoever runs the server."""

from uuid import UUID

from kept.storage import media
from kept.storage.database.engine import Connection


def list_card_only(tx: Connection) -> list[UUID]:
    """Oldest first."""
    return media.list_card_only(tx)
