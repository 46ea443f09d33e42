"""Change what a library says of an item, or one's own reading state for it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.item import MAX_EXCERPT, MAX_NOTE, MAX_TITLE, Card, parse_tags, parse_text
from kept.domain.library import require_admin
from kept.storage import events, items, libraries
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.search import index as search_index

WORDS: Final = {"title": ("A title", MAX_TITLE), "excerpt": ("An excerpt", MAX_EXCERPT), "note": ("A note", MAX_NOTE)}


@dataclass(frozen=True, slots=True)
class ItemChange:
    """Only what is in it changes; a word that is None is emptied."""

    words: dict[str, str | None]
    tags: tuple[str, ...] | None = None
    is_favourite: bool | None = None
    is_archived: bool | None = None
    is_read: bool | None = None
    progress: float | None = None

    @property
    def touches_words(self) -> bool:
        return bool(self.words) or self.tags is not None


async def change_item(database: Database, viewer: Viewer, item_id: UUID, change: ItemChange, *, now: datetime) -> Card:
    """The library's words need its admin; the reading state is the viewer's own."""
    async with database.write() as tx:
        card = await get_card(tx, viewer, item_id, to_write=change.touches_words)
        if change.touches_words:
            await change_words(tx, card, change, now)
        await change_reading(tx, viewer, card, change, now)
        return await get_card(tx, viewer, item_id, to_write=False)


async def get_card(tx: AsyncConnection, viewer: Viewer, item_id: UUID, *, to_write: bool) -> Card:
    card = await items.find_card(tx, item_id, viewer.user_id)
    if card is None:
        raise NotFound
    if to_write:
        _, role = await libraries.find_library(tx, card.item.library_id, viewer.user_id) or (None, None)
        require_admin(role)
    return card


async def change_words(tx: AsyncConnection, card: Card, change: ItemChange, now: datetime) -> None:
    words: dict[str, Any] = {name: parse_text(text, *WORDS[name]) for name, text in change.words.items()}
    await items.update_item(tx, card.item.id, **words, updated_at=now)
    if change.tags is not None:
        await items.replace_tags(tx, card.item.library_id, card.item.id, parse_tags(change.tags))
    await search_index.index_items(tx, [card.item.id])
    await events.tell_libraries(tx, card.media.id, "changed", now)


async def change_reading(tx: AsyncConnection, viewer: Viewer, card: Card, change: ItemChange, now: datetime) -> None:
    state = card.reading
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
    if state != card.reading:
        await items.put_reading_state(tx, viewer.user_id, card.media.id, state, now)
