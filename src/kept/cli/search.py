"""`kept search` and `kept reindex`."""

import json
import re
from collections.abc import Sequence
from typing import Annotated

import typer

from kept.bootstrap import Database
from kept.cli.choosing import choose_viewer, find_libraries
from kept.cli.console import Styled, print_line
from kept.cli.options import AsJson, AsUser, InLibraries
from kept.cli.running import run_on_database
from kept.content.markup import decode_entities
from kept.domain.paging import PageRequest
from kept.services.items.search import Result, search_items

HELP = 'Words, "phrases", -not, tag:, site:, is:unread, is:favourite, is:failed, in:highlights, before:, after:.'


def search(
    query: Annotated[list[str], typer.Argument(help=HELP)],
    library: InLibraries = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="Maximum number of results.")] = 10,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Search saved pages, best match first. Exits 1 if nothing is found. Put `--` before a query that begins with -."""

    async def action(database: Database) -> list[Result]:
        viewer = await choose_viewer(database, user)
        chosen = await find_libraries(database, viewer, library)
        found = await database.read(search_items, viewer, chosen, " ".join(query), PageRequest(limit=limit))
        return found.results

    results = run_on_database(action)
    if as_json:
        print_json(results)
    else:
        for result in results:
            show(result)
    raise typer.Exit(0 if results else 1)


def print_json(results: Sequence[Result]) -> None:
    from kept.api.item_models import found_out

    print(json.dumps([found_out(result).model_dump(mode="json") for result in results], indent=2))


def show(result: Result) -> None:
    card = result.card
    print_line(Styled(card.title or card.item.url, "bold"))
    facts = (f"{card.item.created_at:%Y-%m-%d}", card.media.site_name, card.item.url, ", ".join(card.tags))
    print_line(Styled("  " + " · ".join(fact for fact in facts if fact), "dim"))
    if result.snippet:
        print_line("  ", *marked(result.snippet))


def marked(snippet: str) -> list[Styled]:
    """The unescaped text of a snippet, with the matches in bold."""
    pieces = enumerate(re.split("</?mark>", snippet))
    return [Styled(decode_entities(piece), "bold yellow" if number % 2 else "") for number, piece in pieces]


def reindex(as_json: AsJson = False) -> None:
    """Rebuild the search index, also while Kept runs. If interrupted, it continues where it stopped."""
    from kept.cli.progress import show_share
    from kept.services.maintenance.search_index import reindex as reindex_all
    from kept.services.maintenance.search_index import start_reindex

    async def action(database: Database) -> int:
        total = await database.write(start_reindex)
        with show_share("indexing", total) as advance:
            return await reindex_all(database, advance=advance)

    done = run_on_database(action)
    print(json.dumps({"indexed": done}) if as_json else f"Indexed {done} items and pages.")
