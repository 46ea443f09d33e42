"""The numbers by which apps know items, tags and highlights."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.synced import NumberedHighlight, NumberKind
from kept.services.highlights.highlights import get_own_highlight
from kept.storage import articles, highlights, items, libraries, sync
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class PlacedHighlight:
    numbered: NumberedHighlight
    html: str | None
    """The article's markup."""


def find_by_number(tx: Connection, viewer: Viewer, kind: NumberKind, number: int) -> UUID:
    """Return the id behind an app's number; raises NotFound for what is not the viewer's to see."""
    return resolve_number(tx, viewer, kind, number)


def resolve_number(tx: Connection, viewer: Viewer, kind: NumberKind, number: int) -> UUID:
    """Return the id behind an app's number, or that of the item it was merged into.

    NotFound is raised alike for what is not there and for what the viewer may not see.
    """
    subject_id = sync.find_subject(tx, kind, number)
    found = _find_visible(tx, viewer, kind, subject_id) if subject_id else None
    if found is None:
        raise NotFound
    return found


def _find_visible(tx: Connection, viewer: Viewer, kind: NumberKind, subject_id: UUID) -> UUID | None:
    match kind:
        case NumberKind.ITEM:
            card = items.find_card(tx, subject_id, viewer.user_id)
            return card.item.id if card else None
        case NumberKind.HIGHLIGHT:
            return subject_id if highlights.find_highlight(tx, subject_id, viewer.user_id) else None
        case NumberKind.TAG:
            library_id = libraries.get_default_library_id(tx, viewer.user_id)
            return subject_id if sync.find_tag(tx, library_id, subject_id) else None


def number_highlight(tx: Connection, viewer: Viewer, highlight_id: UUID) -> PlacedHighlight:
    """Return one of the viewer's highlights with its number, and the article it is in."""
    highlight = get_own_highlight(tx, viewer, highlight_id)
    number = sync.list_numbers(tx, NumberKind.HIGHLIGHT, [highlight_id]).get(highlight_id)
    if number is None:
        raise NotFound
    fragment = articles.find_fragment(tx, highlight.media_id)
    return PlacedHighlight(NumberedHighlight(number, highlight), fragment.html_sanitized if fragment else None)
