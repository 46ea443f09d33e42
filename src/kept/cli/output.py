"""What commands print: tables and lines by rich on standard output, progress on standard error; and the options and
choices that several commands share. In a pipe or a file nothing is cut or wrapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from kept.domain.account import Scope, Viewer, parse_user_name
from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.library import ALL_LIBRARIES, LibraryChoice

if TYPE_CHECKING:
    from uuid import UUID

    from kept.wiring.stores import Database

UNLIMITED: Final = 10_000
# A backup goes out of and into a container this way: its user owns none of the files outside.
STANDARD_STREAM: Final = Path("-")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsUser = Annotated[str | None, typer.Option("--user", help="The user to act as; optional if there is only one.")]
InLibrary = Annotated[str | None, typer.Option("--library", help="Name or id of a library; default: the personal one.")]
InLibraries = Annotated[
    str | None, typer.Option("--library", help="Name or id of a library, or `all`; default: the personal one.")
]


# --- lines and tables ---------------------------------------------------------------------------------------------


class Styled(NamedTuple):
    text: str
    style: str
    """A style as rich writes it."""


Cell = str | Styled | Text
Row = Sequence[Cell]


def make_console() -> Console:
    """Return a console on standard output, as wide as the terminal."""
    console = Console()
    if not console.is_terminal:
        console.width = UNLIMITED
    return console


def print_line(*pieces: Cell) -> None:
    make_console().print(Text.assemble(*pieces))


def print_table(titles: Sequence[str], rows: Sequence[Row], *, whole_column: int | None = None) -> None:
    """Print a table. The cells of `whole_column` are never broken into lines, so that they can be copied."""
    table = Table(*titles, box=None)
    if whole_column is not None:
        table.columns[whole_column].no_wrap = True
    for row in rows:
        table.add_row(*(Text.assemble(cell) for cell in row))
    make_console().print(table)


def count(number: int, thing: str) -> str:
    """Write a number of things in English; the web pages have plurals for each language."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


# --- progress, where a person sees it and a pipe does not; nothing is shown without a terminal --------------------


@contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """Show a spinner for work that cannot tell how far it is."""
    with open_progress(SpinnerColumn(), TextColumn(what), TimeElapsedColumn()) as progress:
        progress.add_task("", total=None)
        yield


@contextmanager
def show_steps() -> Iterator[Callable[[str], None]]:
    """Show work of a few named steps; yield the function that is told which one begins."""
    with open_progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as progress:
        task = progress.add_task("", total=None)
        yield lambda step: progress.update(task, description=step)


@contextmanager
def show_share(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show work whose amount is known; yield the function that is told how much more is done."""
    with open_progress(TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()) as progress:
        bar = progress.add_task("", total=total)
        yield lambda done: progress.advance(bar, done)


@contextmanager
def show_count(what: str) -> Iterator[Callable[[int], None]]:
    """Show work whose amount is unknown; yield the function that is told how much more is done."""
    columns = (SpinnerColumn(), TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with open_progress(*columns) as progress:
        bar = progress.add_task("", total=None)
        yield lambda done: progress.advance(bar, done)


def open_progress(*columns: ProgressColumn) -> Progress:
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


# --- which user and which library a command is about --------------------------------------------------------------


async def choose_viewer(database: Database, name: str | None) -> Viewer:
    from kept.services.accounts.users import list_users

    found = await database.read(list_users)
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
    """Return a library by name; `all` is every library of the user, unless one of them has that name."""
    if wanted == ALL_LIBRARIES and not await list_named(database, viewer, wanted):
        return ALL_LIBRARIES
    return await find_library_id(database, viewer, wanted)


async def list_named(database: Database, viewer: Viewer, wanted: str) -> list[UUID]:
    from kept.services.libraries.libraries import list_libraries

    libraries = await database.read(list_libraries, viewer)
    return [library.id for library, _ in libraries if wanted in {library.name, str(library.id)}]
