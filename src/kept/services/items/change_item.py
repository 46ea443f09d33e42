"""Change what a library says of an item, or one's own reading state for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.item import MAX_EXCERPT, MAX_NOTE, MAX_TITLE, Card, parse_tags, parse_text
from kept.services.items.change_reading_state import ReadingChange, change_reading_state
from kept.services.pages.cards import get_card
from kept.storage import events, items
from kept.storage.database.engine import Connection
from kept.storage.search import index

LIMITS: Final = {"title": ("A title", MAX_TITLE), "excerpt": ("An excerpt", MAX_EXCERPT), "note": ("A note", MAX_NOTE)}


@dataclass(frozen=True, slots=True)
class ItemChange:
    """Only what is in it changes; a field that is None is emptied."""

    fields: Mapping[str, str | None] = field(default_factory=dict)
    tags: tuple[str, ...] | None = None
    reading: ReadingChange = field(default_factory=ReadingChange)

    @property
    def changes_user_fields(self) -> bool:
        return bool(self.fields) or self.tags is not None


def change_item(tx: Connection, viewer: Viewer, item_id: UUID, change: ItemChange, *, now: datetime) -> Card:
    """What the library says needs its admin; the reading state is the viewer's own."""
    card = get_card(tx, viewer, item_id, to_change=change.changes_user_fields)
    if change.changes_user_fields:
        _change_user_fields(tx, card, change, now)
    change_reading_state(tx, viewer, card, change.reading, now)
    return get_card(tx, viewer, item_id)


def _change_user_fields(tx: Connection, card: Card, change: ItemChange, now: datetime) -> None:
    parsed = {name: parse_text(text, *LIMITS[name]) for name, text in change.fields.items()}
    items.update_item(tx, card.item.id, **parsed, updated_at=now)
    if change.tags is not None:
        items.replace_tags(tx, card.item.library_id, card.item.id, parse_tags(change.tags))
    index.index_items(tx, [card.item.id])
    events.publish_event(tx, card.media.id, "changed", now)
