"""An item with the history of its page, for whoever may see it."""

from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import Card
from kept.domain.lifecycle import Transition
from kept.services.change_item import get_card
from kept.storage import lifecycles
from kept.storage.database import Database


async def tell_history(database: Database, viewer: Viewer, item_id: UUID) -> tuple[Card, list[Transition]]:
    async with database.read() as tx:
        card = await get_card(tx, viewer, item_id, to_write=False)
        return card, await lifecycles.list_transitions(tx, card.media.id)
