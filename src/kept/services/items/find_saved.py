"""Find a saved page by what a person has at hand: the id of its item or media, or its URL."""

from collections.abc import Iterator
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item import Card
from kept.ids import find_id
from kept.storage import items, libraries, media
from kept.storage.database.engine import Connection
from kept.urls.url import NormalisedUrl, OtherSchemeUrl, parse_url


def find_saved(tx: Connection, viewer: Viewer, wanted: str) -> Card:
    """In the viewer's libraries, the personal one first. NotFound also for what the viewer may not see."""
    key = find_id(wanted)
    found = _list_by_id(tx, viewer, key) if key else _list_by_url(tx, viewer, wanted)
    card = next(found, None)
    if card is None:
        raise NotFound(f"Not in your libraries: {wanted}")
    return card


def _list_by_id(tx: Connection, viewer: Viewer, key: UUID) -> Iterator[Card]:
    if card := items.find_card(tx, key, viewer.user_id):
        yield card
    media_id = media.find_merged(tx, key) or key
    for library, _ in libraries.list_libraries(tx, viewer.user_id):
        if card := items.find_card_of_media(tx, library.id, media_id, viewer.user_id):
            yield card


def _list_by_url(tx: Connection, viewer: Viewer, wanted: str) -> Iterator[Card]:
    match parse_url(wanted):
        case NormalisedUrl() as url:
            alias = str(url)
        case OtherSchemeUrl(text=text):
            alias = text
        case _:
            return
    for library, _ in libraries.list_libraries(tx, viewer.user_id):
        media_id = media.find_page(tx, library.id, alias)
        card = items.find_card_of_media(tx, library.id, media_id, viewer.user_id) if media_id else None
        if card is not None:
            yield card
