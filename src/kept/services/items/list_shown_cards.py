"""Of some items, those that stand in a list, for a page that shows that list and was told that they changed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.domain.item_list import ItemList
from kept.domain.library import Role
from kept.services.libraries.libraries import choose_readable_libraries
from kept.services.pages.cards import name_adders
from kept.storage import items, libraries
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class ShownCards:
    cards: list[Card]
    libraries: list[tuple[UUID, str, Role]]
    """The viewer's, each with its name unless it is their own."""
    adders: dict[UUID, str]


def list_shown_cards(tx: Connection, viewer: Viewer, listed: ItemList | None, item_ids: Sequence[UUID]) -> ShownCards:
    """In the order of the list. Without a list, all that the viewer may see. In a search, those too: whether it still
    finds them is found out by searching again."""
    present = items.resolve_merged(tx, item_ids)
    if listed is None or listed.text is not None:
        cards = items.list_cards_by_id(tx, viewer.user_id, present)
    else:
        cards = _list_in(tx, viewer, listed, present)
    held = [
        (library.id, "" if library.is_default else library.name, role)
        for library, role in libraries.list_libraries(tx, viewer.user_id)
    ]
    return ShownCards(cards, held, name_adders(tx, viewer, cards))


def _list_in(tx: Connection, viewer: Viewer, listed: ItemList, item_ids: Sequence[UUID]) -> list[Card]:
    try:
        library_ids = choose_readable_libraries(tx, viewer, listed.library)
    except NotFound:
        return []
    return items.list_cards_among(tx, viewer.user_id, replace(listed.filter, library_ids=library_ids), item_ids)
