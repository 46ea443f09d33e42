"""One of the viewer's highlights with its number, and the article it is in."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.synced import NumberedHighlight, NumberKind
from kept.services.highlights.highlights import get_own_highlight
from kept.storage import articles, numbers
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class PlacedHighlight:
    numbered: NumberedHighlight
    html: str | None
    """The article's markup."""


def number_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> PlacedHighlight:
    highlight = get_own_highlight(tx, viewer, highlight_id)
    number = numbers.list_numbers(tx, NumberKind.HIGHLIGHT, [highlight_id]).get(highlight_id)
    if number is None:
        raise NotFound
    fragment = articles.find_fragment(tx, highlight.media_id)
    return PlacedHighlight(NumberedHighlight(number, highlight), fragment.html_sanitized if fragment else None)
