"""`kept import`: imports links from a file in this process, without a server. `--resume ID` continues one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Final
from uuid import UUID

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from kept.cli.output import AsJson, AsUser, InLibrary, choose_viewer, count, find_library_id, print_table
from kept.cli.running import run
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest
from kept.domain.imported import FolderUse
from kept.domain.importing import Import, ImportState

if TYPE_CHECKING:
    from kept.services.importing.imports import FileToImport
    from kept.services.importing.imports import Progress as ImportProgress
    from kept.wiring.server import Kept

console = Console(stderr=True)
# The formats of content/import_formats/registry.py, whose readers are not imported to print a help text.
FORMATS: Final = (
    "kept, annotations, pocket, omnivore, readeck, raindrop, instapaper, readwise, matter, linkding, wallabag, "
    "karakeep, linkwarden, netscape, csv, urls"
)


def import_(
    file: Annotated[Path | None, typer.Argument(help="The file that another app or browser exported.")] = None,
    library: InLibrary = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the file and import nothing.")] = False,
    format_: Annotated[str | None, typer.Option("--format", help=f"One of {FORMATS}; detected by default.")] = None,
    folders: Annotated[
        FolderUse, typer.Option("--folders", help="What folders and lists are imported as.")
    ] = FolderUse.TAGS,
    outcome: Annotated[Path | None, typer.Option("--outcome", help="Write the outcome of each row, as CSV.")] = None,
    resume: Annotated[UUID | None, typer.Option("--resume", help="Resume an interrupted import.")] = None,
    user: AsUser = None,
    as_json: AsJson = False,
) -> None:
    """Import links. Every row is imported, already there, or rejected with a reason. Exits 1 if it was not finished."""
    from kept.services.importing.imports import FileToImport, resume_import, start_import

    if (file is None) == (resume is None):
        raise typer.BadParameter("name a file, or an import to resume", param_hint="FILE")
    if dry_run and file is None:
        raise typer.BadParameter("a dry run needs a file", param_hint="--dry-run")

    async def action(kept: Kept) -> int:
        viewer = await choose_viewer(kept.database, user)
        if resume is not None:
            await resume_import(kept.database, kept.notifier, viewer, resume, enqueue=False, now=kept.now())
            return await finish(kept, viewer, resume, outcome, as_json=as_json)
        assert file is not None
        library_id = await find_library_id(kept.database, viewer, library)
        with open_file(file) as stream:
            upload = FileToImport(stream, file.name, library_id, format_, folders, start=True)
            if dry_run:
                return await show_dry_run(kept, viewer, upload, as_json=as_json)
            made = await start_import(kept.importer, viewer, upload, enqueue=False, now=kept.now())
        console.print(Text(f"import {made.id} (if it is stopped: kept import --resume {made.id})", style="dim"))
        return await finish(kept, viewer, made.id, outcome, as_json=as_json)

    raise typer.Exit(run(action))


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}: {error.strerror}") from None
    with stream:
        yield stream


async def show_dry_run(kept: Kept, viewer: Viewer, upload: FileToImport, *, as_json: bool) -> int:
    from kept.content.import_formats.registry import BY_NAME, Unrecognised
    from kept.services.importing.running import Purpose, check_file
    from kept.services.libraries.libraries import choose_library

    library_id = await kept.database.read(choose_library, viewer, upload.library_id)
    purpose = Purpose(viewer.user_id, library_id, upload.folder_use, upload.format)
    report = await check_file(kept.importer, upload.file, upload.name, purpose, now=kept.now())
    if isinstance(report, Unrecognised):
        raise InvalidRequest(report.reason)
    found = {"format": report.format, **report.as_json()}
    if as_json:
        print(json.dumps(found, indent=2))
        return 0
    print(f"{BY_NAME[report.format].label}: {count(found['rows'], 'row')}")
    print(f"to import {report.imported:,}, already saved {report.already_there:,}, rejected {report.rejected:,}")
    if report.highlights:
        print(f"with {count(report.highlights, 'highlight')}")
    show_problems(found["problems"])
    samples = [(sample["title"] or "", sample["url"], ", ".join(sample["tags"])) for sample in report.samples]
    print_table(("title", "url", "tags"), samples)
    return 0


async def finish(kept: Kept, viewer: Viewer, import_id: UUID, outcome: Path | None, *, as_json: bool) -> int:
    from kept.services.importing.imports import read_progress
    from kept.services.importing.running import Slice, advance_import, write_outcomes

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=as_json) as bars:
        bar = bars.add_task("importing", total=None)

        def show(done: int, total: int | None) -> None:
            bars.update(bar, completed=done, total=total)

        await advance_import(kept.importer, import_id, Slice(on_rows=show))
    progress = await kept.read(read_progress, viewer, import_id)
    if outcome is not None:
        await write_file(outcome, write_outcomes(kept.database, import_id))
    show_end(progress, as_json=as_json)
    return 0 if progress.found.state is ImportState.DONE else 1


async def write_file(path: Path, lines: AsyncIterator[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as target:
        async for line in lines:
            target.write(line)


def show_end(progress: ImportProgress, *, as_json: bool) -> None:
    found, counts = progress.found, progress.counts
    if as_json:
        print(json.dumps(as_dict(found) | {name: getattr(counts, name) for name in counts.__dataclass_fields__}))
        return
    if found.state is not ImportState.DONE:
        console.print(Text(f"✗ {found.problem or f'the import is {found.state}'}", style="red"))
    rows = count(counts.total, "row")
    print(f"{rows}: imported {counts.imported:,}, already saved {counts.already_there:,}, rejected {counts.rejected:,}")
    show_problems((found.report or {}).get("problems", []))


def as_dict(import_: Import) -> dict[str, object]:
    return {"id": str(import_.id), "state": import_.state, "format": import_.format, "problem": import_.problem}


def show_problems(problems: list[dict[str, Any]]) -> None:
    for problem in problems:
        example = f" ({problem['example']})" if problem["example"] else ""
        console.print(Text(f"  {problem['count']:,} × {problem['reason']}{example}", style="yellow"))
