"""`kept backup` and `kept restore`, for the default storage: one SQLite file and one folder of blobs."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from kept.cli.config import AsJson
from kept.clock import utc_now
from kept.config import load_settings
from kept.services.maintenance.back_up import back_up
from kept.services.maintenance.restore_backup import restore_backup


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; compressed if its name ends in .gz.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back up everything on this server into one file, also while it runs. The file contains secrets: keep it safe."""
    settings = load_settings()
    with open_progress("backing up") as progress:
        bar = progress.add_task("", total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        made = back_up(settings, file, replace=force, now=utc_now(), on_blob=show)
    if as_json:
        print(json.dumps({"file": str(file), "bytes": made.bytes, "files": made.blobs, "skipped": made.gone}))
        return
    gone = f" ({made.gone} skipped: their pages were removed meanwhile)" if made.gone else ""
    print(f"Backed up the database and {made.blobs} files{gone} to {file}, {made.bytes / 1e6:.1f} MB.", file=sys.stderr)


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `kept backup`.")],
    force: Annotated[bool, typer.Option("--force", help="Move existing data aside, then restore.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. Existing data is refused, or with --force moved aside. Stop Kept first."""
    settings = load_settings()
    with open_progress("restoring") as progress:
        bar = progress.add_task("", total=file.stat().st_size if file.is_file() else None)

        def show(read: int) -> None:
            progress.update(bar, completed=read)

        restored = restore_backup(settings, file, replace=force, now=utc_now(), on_file=show)
    if as_json:
        previous = str(restored.previous) if restored.previous else None
        print(json.dumps({"folder": str(restored.folder), "previous": previous}))
        return
    print(f"Restored {file} to {restored.folder}.", file=sys.stderr)
    if restored.previous:
        print(f"The previous data is in {restored.previous}; delete it when you no longer need it.", file=sys.stderr)


def open_progress(what: str) -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
