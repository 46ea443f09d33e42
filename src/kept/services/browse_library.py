"""Everything the library page shows, read in one transaction."""

from dataclasses import dataclass, replace
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import NotFound
from kept.domain.library import Library, Role
from kept.services.list_items import Page, cut_page, parse_cursor
from kept.storage import events, items, libraries
from kept.storage.database import Database
from kept.storage.items import ItemFilter


@dataclass(frozen=True, slots=True)
class Browsed:
    library: Library
    role: Role
    libraries: list[tuple[Library, Role]]
    page: Page
    tags: list[tuple[str, int]]
    latest_event: int
    """The newest news that the page already shows."""


async def browse_library(
    database: Database,
    viewer: Viewer,
    library_id: UUID | None,
    wanted: ItemFilter,
    *,
    cursor: str | None,
    limit: int,
) -> Browsed:
    """Without a library, the viewer's own; `wanted` narrows it."""
    after = parse_cursor(cursor) if cursor else None
    async with database.read() as tx:
        latest = await events.find_latest(tx)
        shelves = await libraries.list_libraries(tx, viewer.user_id)
        library, role = choose(shelves, viewer, library_id)
        narrowed = replace(wanted, library_id=library.id)
        cards = await items.list_cards(tx, viewer.user_id, narrowed, after=after, limit=limit + 1)
        tags = await items.count_tags(tx, library.id)
    return Browsed(library, role, shelves, cut_page(cards, limit), tags, latest)


def choose(shelves: list[tuple[Library, Role]], viewer: Viewer, library_id: UUID | None) -> tuple[Library, Role]:
    for library, role in shelves:
        is_own = library.is_default and library.owner_id == viewer.user_id
        if library.id == library_id or (library_id is None and is_own):
            return library, role
    raise NotFound
