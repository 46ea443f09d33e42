"""`kept list`: saved links."""

import json
from collections.abc import Sequence
from typing import Annotated

import typer

from kept.bootstrap import Database
from kept.cli.choosing import choose_viewer, find_libraries
from kept.cli.console import Row, Styled, print_table
from kept.cli.options import AsJson, AsUser, InLibraries
from kept.cli.running import run_on_database
from kept.domain.item import Card, ItemFilter, site_of
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest
from kept.services.items.lists import list_items

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
        return (await database.read(list_items, viewer, chosen, wanted, PageRequest(limit=limit))).cards

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
