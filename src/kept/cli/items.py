"""`kept add` and `kept list`: save and list links as one of the users."""

import json
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Table
from rich.text import Text

from kept.api.routes.items import item_out
from kept.bootstrap import Kept
from kept.cli.accounts import run
from kept.cli.config import AsJson
from kept.cli.console import make_console
from kept.cli.progress import show_share
from kept.domain.account import Scope, Viewer, parse_user_name
from kept.domain.errors import InvalidRequest, KeptError, NotFound
from kept.domain.item import Card, parse_tags, parse_user_fields
from kept.domain.item_filter import ItemFilter
from kept.domain.library import ALL_LIBRARIES, LibraryChoice
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest
from kept.services.accounts.list_users import list_users
from kept.services.items.list_items import list_items
from kept.services.libraries.list_libraries import list_libraries
from kept.services.saving.save_link import LinkToSave, Saved, save_link
from kept.urls.messages import NOTICES
from kept.web.formatting import site_of

AsUser = Annotated[str | None, typer.Option("--user", help="The user to act as; optional if there is only one.")]
InLibrary = Annotated[str | None, typer.Option("--library", help="Name or id of a library; default: the personal one.")]
InLibraries = Annotated[
    str | None, typer.Option("--library", help="Name or id of a library, or `all`; default: the personal one.")
]

MARKS = {
    ProcessingStatus.READY_FOR_READING: "[green]ready[/]",
    ProcessingStatus.FAILED: "[red]failed[/]",
    ProcessingStatus.BLOCKED: "[red]blocked[/]",
    ProcessingStatus.INVALID_URL: "[red]not a web page[/]",
    ProcessingStatus.CARD_ONLY: "card only",
}


def add(
    urls: Annotated[list[str], typer.Argument(help="URLs to save.")],
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag to add; may be repeated.")] = None,
    library: InLibrary = None,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Save links. Exits 1 if one of them couldn't be saved."""
    words = parse_user_fields(None, None, None, parse_tags(tags or ()))

    async def action(kept: Kept) -> list[Saved | KeptError]:
        viewer = await choose_viewer(kept, user)
        library_id = await find_library_id(kept, viewer, library)
        with show_share("saving", len(urls)) as advance:
            outcomes: list[Saved | KeptError] = []
            for url in urls:
                try:
                    saved = await save_link(kept.saver, viewer, LinkToSave(url, words, library_id))
                    outcomes.append(saved)
                except KeptError as error:
                    outcomes.append(error)
                advance(1)
            return outcomes

    outcomes = run(action)
    if as_json:
        print(json.dumps([shown_as_json(url, outcome) for url, outcome in zip(urls, outcomes, strict=True)], indent=2))
    else:
        for url, outcome in zip(urls, outcomes, strict=True):
            show_saved(url, outcome)
    raise typer.Exit(1 if any(isinstance(outcome, KeptError) for outcome in outcomes) else 0)


def shown_as_json(url: str, outcome: Saved | KeptError) -> object:
    if isinstance(outcome, KeptError):
        return {"url": url, "error": {"code": outcome.code, "message": outcome.message}}
    return item_out(outcome.card).model_dump(mode="json")


def show_saved(url: str, outcome: Saved | KeptError) -> None:
    console = make_console()
    if isinstance(outcome, KeptError):
        console.print(Text(f"✗ {url}: {outcome.message}", style="red"))
        return
    card = outcome.card
    console.print(Text(f"✓ {card.title or card.item.url}", style="bold"))
    if card.excerpt:
        console.print(Text(f"  {card.excerpt[:200]}", style="dim"))
    for warning in (*(NOTICES[notice] for notice in outcome.notices), card.media.enrichment_error):
        if warning:
            console.print(Text(f"  {warning}", style="yellow"))


def list_(
    library: InLibraries = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only items with this tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Maximum number of items.")] = 30,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """List saved links, newest first."""

    async def action(kept: Kept) -> list[Card]:
        viewer = await choose_viewer(kept, user)
        chosen = await find_libraries(kept, viewer, library)
        wanted = ItemFilter(tag=tag)
        return (await list_items(kept.database, viewer, chosen, wanted, PageRequest(limit=limit))).cards

    cards = run(action)
    if as_json:
        print(json.dumps([item_out(card).model_dump(mode="json") for card in cards], indent=2))
        return
    table = Table("saved", "title", "site", "tags", "state", box=None)
    for card in cards:
        state = MARKS.get(card.media.processing_status, "[yellow]saving[/]")
        title, site = Text(card.title or card.item.url), Text(site_of(card))
        table.add_row(f"{card.item.created_at:%Y-%m-%d}", title, site, ", ".join(card.tags), state)
    make_console().print(table)


async def choose_viewer(kept: Kept, name: str | None) -> Viewer:
    found = await list_users(kept.database)
    wanted = [user for user in found if name is None or user.name == parse_user_name(name)]
    if not wanted:
        raise NotFound(f"There is no user named {name}." if name else "There are no users yet: `kept user add NAME`.")
    if len(wanted) > 1:
        raise InvalidRequest("There are several users: choose one with --user.")
    return Viewer(wanted[0], frozenset(Scope))


async def find_library_id(kept: Kept, viewer: Viewer, wanted: str | None) -> UUID | None:
    if wanted is None:
        return None
    named = await list_named(kept, viewer, wanted)
    if not named:
        raise NotFound(f"There is no library named {wanted}.")
    return named[0]


async def find_libraries(kept: Kept, viewer: Viewer, wanted: str | None) -> LibraryChoice:
    """`all` is every library the user is a member of, unless one of them has that name."""
    if wanted == ALL_LIBRARIES and not await list_named(kept, viewer, wanted):
        return ALL_LIBRARIES
    return await find_library_id(kept, viewer, wanted)


async def list_named(kept: Kept, viewer: Viewer, wanted: str) -> list[UUID]:
    found = await list_libraries(kept.database, viewer)
    return [library.id for library, _ in found if wanted in {library.name, str(library.id)}]
