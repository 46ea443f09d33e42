"""`kept read` and `kept open`: a saved page in the terminal, or in the browser."""

from __future__ import annotations

import json
import re
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from kept.cli.output import AsJson, AsUser, choose_viewer
from kept.cli.running import run, run_on_database
from kept.cli.serving import local_url
from kept.config import Settings, load_settings
from kept.domain.item import Card

if TYPE_CHECKING:
    from kept.wiring.server import Kept
    from kept.wiring.stores import Database

Wanted = Annotated[
    str, typer.Argument(metavar="ID|URL", help="The id of an item or media, or the URL of a saved page.")
]

# Lines of text longer than this tire the eye.
WIDEST: Final = 88
# A page must not move the cursor or rename the window: terminals obey characters that a browser ignores.
CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def read(
    wanted: Wanted,
    pager: Annotated[bool, typer.Option("--pager", help="Show it page by page, with the pager of the shell.")] = False,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Read a saved article in the terminal; as Markdown if the output is not a terminal."""
    from kept.services.exporting.articles import FileFormat, export_article
    from kept.services.items.lists import find_saved

    async def action(kept: Kept) -> tuple[Card, str]:
        viewer = await choose_viewer(kept.database, user)
        card = await kept.read(find_saved, viewer, wanted)
        file = await export_article(kept.images, viewer, card.item.id, FileFormat.MARKDOWN, now=kept.now())
        return card, file.data.decode()

    card, markdown = run(action)
    if as_json:
        from kept.api.item_models import item_out

        print(json.dumps(item_out(card).model_dump(mode="json") | {"markdown": markdown}, indent=2))
    else:
        show_markdown(CONTROLS.sub("", markdown), with_pager=pager)


def show_markdown(markdown: str, *, with_pager: bool) -> None:
    from rich.markdown import Markdown

    console = Console()
    if not console.is_terminal:
        print(markdown, end="")
        return
    console = Console(width=min(console.width, WIDEST))
    if with_pager:
        with console.pager(styles=True):
            console.print(Markdown(markdown))
    else:
        console.print(Markdown(markdown))


def open_(
    wanted: Wanted,
    only_print: Annotated[bool, typer.Option("--print", help="Print the link and open nothing.")] = False,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Open a saved page in the browser, in Kept's reader. Kept must be running."""
    from kept.services.items.lists import find_saved

    async def action(database: Database) -> Card:
        return await database.read(find_saved, await choose_viewer(database, user), wanted)

    card = run_on_database(action)
    link = f"{find_server_url(load_settings())}/read/{card.item.id}"
    if as_json:
        print(json.dumps({"id": str(card.item.id), "link": link}))
    elif only_print:
        print(link)
    elif not webbrowser.open(link):
        print("kept: no browser was found on this machine; the link is", file=sys.stderr)
        print(link)


def find_server_url(settings: Settings) -> str:
    """Return the URL of the server of this machine."""
    return settings.public_url.rstrip("/") if settings.public_url else local_url(settings.host, settings.port)
