"""`kept list` and `kept search`: saved links, and pages that match a query."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kept.cli.output import (
    AsJson,
    AsUser,
    InLibraries,
    Row,
    Styled,
    choose_viewer,
    find_libraries,
    print_line,
    print_table,
)
from kept.cli.running import run_on_database
from kept.content.markup import decode_entities
from kept.domain.item import Card, ItemFilter, site_of
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.paging import PageRequest

if TYPE_CHECKING:
    from kept.services.items.search import Result
    from kept.wiring.stores import Database

MARKS: Final = {
    ProcessingStatus.READY_FOR_READING: Styled("ready", "green"),
    ProcessingStatus.FAILED: Styled("failed", "red"),
    ProcessingStatus.BLOCKED: Styled("blocked", "red"),
    ProcessingStatus.INVALID_URL: Styled("not a web page", "red"),
    ProcessingStatus.CARD_ONLY: Styled("card only", ""),
}
QUERY: Final = (
    'Words, "phrases", -not, tag:, site:, is:unread, is:favourite, is:failed, in:highlights, before:, after:.'
)


def list_(
    library: InLibraries = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only items with this tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Maximum number of items.")] = 30,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """List saved links, newest first."""
    from kept.services.items.lists import list_items

    async def action(database: Database) -> list[Card]:
        viewer = await choose_viewer(database, user)
        chosen = await find_libraries(database, viewer, library)
        wanted = ItemFilter(tag=tag)
        return (await database.read(list_items, viewer, chosen, wanted, PageRequest(limit=limit))).cards

    cards = run_on_database(action)
    if as_json:
        print_items_as_json(cards)
    else:
        print_table(("saved", "title", "site", "tags", "state"), [describe(card) for card in cards])


def print_items_as_json(cards: Sequence[Card]) -> None:
    from kept.api.item_models import item_out

    print(json.dumps([item_out(card).model_dump(mode="json") for card in cards], indent=2))


def describe(card: Card) -> Row:
    state = MARKS.get(card.media.processing_status, Styled("saving", "yellow"))
    saved, title = f"{card.item.created_at:%Y-%m-%d}", card.title or card.item.url
    return saved, title, site_of(card), ", ".join(card.tags), state


def search(
    query: Annotated[list[str], typer.Argument(help=QUERY)],
    library: InLibraries = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Maximum number of results.")] = 10,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Search saved pages, best match first. Exits 1 if nothing is found. Put `--` before a query that begins with -."""
    from kept.services.items.search import search_items

    async def action(database: Database) -> list[Result]:
        viewer = await choose_viewer(database, user)
        chosen = await find_libraries(database, viewer, library)
        found = await database.read(search_items, viewer, chosen, " ".join(query), PageRequest(limit=limit))
        return found.results

    results = run_on_database(action)
    if as_json:
        print_results_as_json(results)
    else:
        for result in results:
            show_result(result)
    raise typer.Exit(0 if results else 1)


def print_results_as_json(results: Sequence[Result]) -> None:
    from kept.api.item_models import found_out

    print(json.dumps([found_out(result).model_dump(mode="json") for result in results], indent=2))


def show_result(result: Result) -> None:
    card = result.card
    print_line(Styled(card.title or card.item.url, "bold"))
    facts = (f"{card.item.created_at:%Y-%m-%d}", card.media.site_name, card.item.url, ", ".join(card.tags))
    print_line(Styled("  " + " · ".join(fact for fact in facts if fact), "dim"))
    if result.snippet:
        print_line("  ", *marked(result.snippet))


def marked(snippet: str) -> list[Styled]:
    """Return the unescaped text of a snippet, with the matches in bold."""
    pieces = enumerate(re.split("</?mark>", snippet))
    return [Styled(decode_entities(piece), "bold yellow" if number % 2 else "") for number, piece in pieces]
