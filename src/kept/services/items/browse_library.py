"""Everything the library page shows, read in one transaction."""

from dataclasses import dataclass, replace
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.item_filter import ItemFilter
from kept.domain.library import Library, Role
from kept.services.items.list_items import Page, cut_page, parse_cursor
from kept.services.items.search_items import search_in
from kept.storage import events, items, libraries
from kept.storage.database.engine import AsyncConnection, Database


@dataclass(frozen=True, slots=True)
class Browsed:
    library: Library
    role: Role
    libraries: list[tuple[Library, Role]]
    page: Page
    snippets: dict[UUID, str]
    """For what a search found: the passage that shows why, as HTML with no tags but `<mark>`."""
    tags: list[tuple[str, int]]
    latest_event: int
    """The newest news that the page already shows."""


async def browse_library(
    database: Database,
    viewer: Viewer,
    library_id: UUID | None,
    wanted: ItemFilter,
    *,
    text: str | None = None,
    cursor: str | None,
    limit: int,
) -> Browsed:
    """Without a library, the viewer's own; `wanted` narrows it, and with a `text` the list is what that finds."""
    async with database.read() as tx:
        latest = await events.find_latest(tx)
        shelves = await libraries.list_libraries(tx, viewer.user_id)
        library, role = choose(shelves, viewer, library_id)
        narrowed = replace(wanted, library_id=library.id)
        snippets: dict[UUID, str] = {}
        if text is None:
            page = await list_page(tx, viewer, narrowed, cursor, limit)
        else:
            page, snippets = await find_page(tx, viewer, narrowed, text, cursor, limit)
        tags = await items.count_tags(tx, library.id)
    return Browsed(library, role, shelves, page, snippets, tags, latest)


async def list_page(tx: AsyncConnection, viewer: Viewer, wanted: ItemFilter, cursor: str | None, limit: int) -> Page:
    after = parse_cursor(cursor) if cursor else None
    return cut_page(await items.list_cards(tx, viewer.user_id, wanted, after=after, limit=limit + 1), limit)


async def find_page(
    tx: AsyncConnection, viewer: Viewer, wanted: ItemFilter, text: str, cursor: str | None, limit: int
) -> tuple[Page, dict[UUID, str]]:
    found = await search_in(tx, viewer, wanted.library_id, text, wanted, cursor=cursor, limit=limit)
    snippets = {result.card.item.id: result.snippet for result in found.results if result.snippet}
    return Page([result.card for result in found.results], found.next_cursor), snippets


def choose(shelves: list[tuple[Library, Role]], viewer: Viewer, library_id: UUID | None) -> tuple[Library, Role]:
    for library, role in shelves:
        is_own = library.is_default and library.owner_id == viewer.user_id
        if library.id == library_id or (library_id is None and is_own):
            return library, role
    raise NotFound
