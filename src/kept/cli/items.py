"""`kept list`: saved links, and whose and which of them a command is about."""

import json
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import typer

from kept.bootstrap import Database
from kept.cli.config import AsJson
from kept.cli.console import Row, Styled, print_table
from kept.cli.running import run_on_database
from kept.domain.account import Scope, Viewer, parse_user_name
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.item import Card
from kept.domain.item_filter import ItemFilter
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest
from kept.domain.site import site_of
from kept.services.accounts.list_users import list_users
from kept.services.items.list_items import list_items
from kept.services.libraries.list_libraries import list_libraries

AsUser = Annotated[str | None, typer.Option("--user", help="The user to act as; optional if there is only one.")]
InLibrary = Annotated[str | None, typer.Option("--library", help="Name or id of a library; default: the personal one.")]
InLibraries = Annotated[
    str | None, typer.Option("--library", help="Name or id of a library, or `all`; default: the personal one.")
]

MARKS = {
    ProcessingStatus.READY_FOR_READING: Styled("ready", "green"),
    ProcessingStatus.FAILED: Styled("failed", "red"),
    ProcessingStatus.BLOCKED: Styled("blocked", "red"),
    ProcessingStatus.INVALID_URL: Styled("not a web page", "red"),
    ProcessingStatus.CARD_ONLY: Styled("card only", ""),
}


def list_(
    library: InLibraries = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only items with this tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Maximum number of items.")] = 30,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """List saved links, newest first."""

    async def action(database: Database) -> list[Card]:
        viewer = await choose_viewer(database, user)
        chosen = await find_libraries(database, viewer, library)
        wanted = ItemFilter(tag=tag)
        return (await list_items(database, viewer, chosen, wanted, PageRequest(limit=limit))).cards

    cards = run_on_database(action)
    if as_json:
        print_json(cards)
    else:
        show(cards)


def print_json(cards: Sequence[Card]) -> None:
    from kept.api.item_models import item_out

    print(json.dumps([item_out(card).model_dump(mode="json") for card in cards], indent=2))


def show(cards: Sequence[Card]) -> None:
    print_table(("saved", "title", "site", "tags", "state"), [describe(card) for card in cards])


def describe(card: Card) -> Row:
    state = MARKS.get(card.media.processing_status, Styled("saving", "yellow"))
    saved, title = f"{card.item.created_at:%Y-%m-%d}", card.title or card.item.url
    return saved, title, site_of(card), ", ".join(card.tags), state


async def choose_viewer(database: Database, name: str | None) -> Viewer:
    found = await list_users(database)
    wanted = [user for user in found if name is None or user.name == parse_user_name(name)]
    if not wanted:
        raise NotFound(f"There is no user named {name}." if name else "There are no users yet: `kept user add NAME`.")
    if len(wanted) > 1:
        raise InvalidRequest("There are several users: choose one with --user.")
    return Viewer(wanted[0], frozenset(Scope))


async def find_library_id(database: Database, viewer: Viewer, wanted: str | None) -> UUID | None:
    if wanted is None:
        return None
    named = await list_named(database, viewer, wanted)
    if not named:
        raise NotFound(f"There is no library named {wanted}.")
    return named[0]


async def find_libraries(database: Database, viewer: Viewer, wanted: str | None) -> LibraryChoice:
    """`all` is every library the user is a member of, unless one of them has that name."""
    if wanted == ALL_LIBRARIES and not await list_named(database, viewer, wanted):
        return ALL_LIBRARIES
    return await find_library_id(database, viewer, wanted)


async def list_named(database: Database, viewer: Viewer, wanted: str) -> list[UUID]:
    found = await list_libraries(database, viewer)
    return [library.id for library, _ in found if wanted in {library.name, str(library.id)}]
