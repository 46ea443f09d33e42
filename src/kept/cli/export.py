"""`kept export`: exports libraries of one user into a file or a folder."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from kept.cli.output import STANDARD_STREAM, AsJson, AsUser, choose_viewer, count, find_libraries, open_progress
from kept.cli.running import run
from kept.domain.errors import OperatorError
from kept.domain.exporting import ExportFormat
from kept.domain.library import ALL_LIBRARIES

if TYPE_CHECKING:
    from kept.services.exporting.libraries import Export
    from kept.wiring.server import Kept

InLibrary = Annotated[str | None, typer.Option("--library", help="Name or id of a library; all by default.")]

OUTPUT: Final = "The file to write, - for standard output; for `folder` and `highlights-markdown` a folder."


class CannotWrite(OperatorError):
    """The file cannot be written; the message says why."""


def export(
    output: Annotated[Path, typer.Option("--output", "-o", help=OUTPUT)],
    to: Annotated[ExportFormat, typer.Option("--format", help="The format.")] = ExportFormat.JSON,
    library: InLibrary = None,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Export libraries: json (everything, can be imported again), html (bookmarks), csv, epub, folder (web pages); or
    highlights: highlights-markdown (a file a page), highlights-csv (for Readwise), highlights-json (W3C annotations).
    """
    if as_json and output == STANDARD_STREAM:
        raise typer.BadParameter("the export itself goes to standard output", param_hint="--json")
    try:
        items = run(lambda kept: write_export(kept, to, output, library, user))
    except OSError as error:
        raise CannotWrite(f"cannot write {output}: {error.strerror or error}") from None
    if as_json:
        print(json.dumps({"items": items, "output": str(output)}))
    else:
        where = "standard output" if output == STANDARD_STREAM else output
        print(f"Exported {count(items, 'item')} to {where}.", file=sys.stderr)


async def write_export(kept: Kept, to: ExportFormat, output: Path, library: str | None, user: str | None) -> int:
    """Write the export and return the number of items."""
    from kept.services.exporting.libraries import (
        export_folder,
        export_library,
        folder_entries,
        highlight_entries,
        prepare_export,
    )

    # These formats can be written as a folder instead of a ZIP.
    folders = {ExportFormat.FOLDER: folder_entries, ExportFormat.HIGHLIGHTS_MARKDOWN: highlight_entries}
    viewer = await choose_viewer(kept.database, user)
    chosen = await find_libraries(kept.database, viewer, library)
    library_id = None if chosen == ALL_LIBRARIES else chosen
    with show_progress() as (begin, advance):
        scope = await prepare_export(kept.images, viewer, library_id, kept.now(), advance, kept.settings.public_url)
        made = await export_library(scope, to)
        begin(made.items)
        if to in folders and output.suffix != ".zip" and output != STANDARD_STREAM:
            require_free(output)
            await export_folder(folders[to](scope), output)
        else:
            await write_file(made, output)
        return made.items


def require_free(folder: Path) -> None:
    """Refuse a folder that is not empty: files of an older export would be taken for part of the new one."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CannotWrite(f"{folder} already exists: choose an empty or a new folder.")


async def write_file(made: Export, output: Path) -> None:
    """Write the file, under a temporary name until it is complete."""
    if output == STANDARD_STREAM:
        return await write_chunks(made, sys.stdout.buffer)
    target = find_target(output)
    partial = target.with_name(f".{target.name}.part")
    try:
        with partial.open("wb") as file:
            os.chmod(partial, 0o600)  # it has people's notes
            await write_chunks(made, file)
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def find_target(output: Path) -> Path:
    """Return the file itself, or the one that a link leads to."""
    target = output.resolve()
    if target.exists() and not target.is_file():
        raise CannotWrite(f"{output} is not a file; - writes to standard output.")
    return target


async def write_chunks(made: Export, file: BinaryIO) -> None:
    async for chunk in made.chunks:
        file.write(chunk)
    file.flush()


@contextlib.contextmanager
def show_progress() -> Iterator[tuple[Callable[[int], None], Callable[[int], None]]]:
    """Show a progress bar on standard error; yield functions to set the total and to advance."""
    columns = (TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with open_progress(*columns) as progress:
        bar = progress.add_task("", total=None)
        yield lambda total: progress.update(bar, total=total), lambda done: progress.advance(bar, done)
