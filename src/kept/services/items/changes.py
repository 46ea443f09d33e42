"""Changing an item's fields, tags and reading state, one or several at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.item import (
    MAX_EXCERPT,
    MAX_NOTE,
    MAX_TAGS,
    MAX_TITLE,
    BulkResult,
    Card,
    ItemUndo,
    ReadingState,
    parse_tags,
    undo_reading,
)
from kept.domain.text import parse_text
from kept.services.pages.bulk import change_each
from kept.services.pages.cards import get_card, put_reading_state
from kept.storage import events, items
from kept.storage.database.engine import Connection
from kept.storage.search import index

LIMITS: Final = {"title": ("A title", MAX_TITLE), "excerpt": ("An excerpt", MAX_EXCERPT), "note": ("A note", MAX_NOTE)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingChange:
    """A change of a reading state; None leaves a field as it is."""

    is_favourite: bool | None = None
    is_archived: bool | None = None
    is_read: bool | None = None
    progress: float | None = None


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change of an item's fields in its library. Only what is in it changes; a field that is None is emptied."""

    fields: Mapping[str, str | None] = field(default_factory=dict)
    tags: tuple[str, ...] | None = None
    reading: ReadingChange = field(default_factory=ReadingChange)

    @property
    def changes_user_fields(self) -> bool:
        return bool(self.fields) or self.tags is not None


@dataclass(frozen=True, slots=True)
class ItemsChange:
    """A change of several items, which adds or removes tags."""

    reading: ReadingChange = field(default_factory=ReadingChange)
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    @property
    def changes_tags(self) -> bool:
        return bool(self.add_tags or self.remove_tags)


def change_item(tx: Connection, viewer: Viewer, item_id: UUID, change: ItemChange, *, now: datetime) -> Card:
    """Change an item's fields in its library, or one's own reading state for it.

    The fields need an admin of the library; the reading state is the viewer's own.
    """
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


def change_items(
    tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], change: ItemsChange, *, now: datetime
) -> BulkResult:
    """Make one change to several items of a list, in one transaction.

    Items that cannot be changed are counted; if there is only one, its error is raised instead.
    """
    added, removed = parse_tags(change.add_tags), parse_tags(change.remove_tags)
    parsed = ItemsChange(change.reading, added, removed)
    return _change(tx, viewer, item_ids, parsed, now)


def _change(tx: Connection, viewer: Viewer, item_ids: Sequence[UUID], change: ItemsChange, now: datetime) -> BulkResult:
    def change_one(card: Card) -> ItemUndo:
        state = change_reading_state(tx, viewer, card, change.reading, now)
        added, removed = _change_tags(tx, card, change, now)
        return ItemUndo(card.item.id, undo_reading(card.reading, state), add_tags=removed, remove_tags=added)

    return change_each(tx, viewer, item_ids, change_one, to_change=change.changes_tags, now=now)


def _change_tags(
    tx: Connection, card: Card, change: ItemsChange, now: datetime
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Add and remove tags; returns those that were really added, and those really removed."""
    added = tuple(tag for tag in change.add_tags if tag not in card.tags)
    removed = tuple(tag for tag in change.remove_tags if tag in card.tags)
    if not added and not removed:
        return (), ()
    if len(card.tags) + len(added) > MAX_TAGS:
        raise InvalidRequest("An item has at most %(max_tags)s tags.", max_tags=MAX_TAGS)
    items.remove_tags(tx, card.item.library_id, card.item.id, removed)
    items.add_tags(tx, card.item.library_id, card.item.id, added)
    items.update_item(tx, card.item.id, updated_at=now)  # programs that sync ask for what changed
    index.index_items(tx, [card.item.id])
    events.publish_item_event(tx, card.item, "changed", now)
    return added, removed


def change_reading_state(
    tx: Connection, viewer: Viewer, card: Card, change: ReadingChange, now: datetime
) -> ReadingState:
    """Change one's own reading state of an item: favourite, archived, read, progress. Returns the state afterwards.

    The viewer's other open pages are told if it changed.
    """
    state = _apply(card.reading, change, now)
    if state != card.reading:
        put_reading_state(tx, viewer, card.media.id, state, now)
    return state


def _apply(state: ReadingState, change: ReadingChange, now: datetime) -> ReadingState:
    if change.is_favourite is not None:
        state = replace(state, is_favourite=change.is_favourite)
    if change.is_archived is not None:
        state = replace(state, is_archived=change.is_archived)
    if change.is_read is not None:
        state = replace(state, read_at=(state.read_at or now) if change.is_read else None)
    if change.progress is not None:
        if not 0 <= change.progress <= 1:
            raise InvalidRequest("Progress is a share between 0 and 1.")
        state = replace(state, progress=change.progress)
    return state
