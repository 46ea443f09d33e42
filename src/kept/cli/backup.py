"""`kept backup` and `kept restore`, for the default storage: one SQLite file and one folder of blobs."""

import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from kept.cli.output import STANDARD_STREAM, AsJson, count, open_progress
from kept.clock import utc_now
from kept.config import Settings, load_settings


def backup(
    file: Annotated[
        Path, typer.Argument(help="The file to write, compressed if its name ends in .gz; - for standard output.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back up everything on this server into one file, also while it runs. The file contains secrets: keep it safe."""
    from kept.services.maintenance.backups import back_up

    if as_json and file == STANDARD_STREAM:
        raise typer.BadParameter("the backup itself goes to standard output", param_hint="--json")
    settings = load_settings()
    with open_bar("backing up") as progress:
        bar = progress.add_task("", total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        with write_through(settings, file) as target:
            made = back_up(settings, target, replace=force, now=utc_now(), on_blob=show)
    if as_json:
        print(json.dumps({"file": str(file), "bytes": made.bytes, "files": made.blobs, "skipped": made.gone}))
        return
    where = "standard output" if file == STANDARD_STREAM else file
    size = f"{made.bytes / 1e6:.1f} MB"
    gone = f" ({made.gone} skipped: their pages were removed meanwhile)" if made.gone else ""
    print(f"Backed up the database and {count(made.blobs, 'file')}{gone} to {where}, {size}.", file=sys.stderr)


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `kept backup`; - for standard input.")],
    force: Annotated[bool, typer.Option("--force", help="Move existing data aside, then restore.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup. Existing data is refused, or with --force moved aside. Stop Kept first."""
    from kept.services.maintenance.backups import restore_backup

    settings = load_settings()
    with open_bar("restoring") as progress:
        bar = progress.add_task("", total=file.stat().st_size if file.is_file() else None)

        def show(read: int) -> None:
            progress.update(bar, completed=read)

        with read_through(settings, file) as source:
            restored = restore_backup(settings, source, replace=force, now=utc_now(), on_file=show)
    if as_json:
        previous = str(restored.previous) if restored.previous else None
        print(json.dumps({"folder": str(restored.folder), "previous": previous}))
        return
    print(f"Restored {'the backup' if file == STANDARD_STREAM else file} to {restored.folder}.", file=sys.stderr)
    if restored.previous:
        print(f"The previous data is in {restored.previous}; delete it when you no longer need it.", file=sys.stderr)


@contextlib.contextmanager
def write_through(settings: Settings, file: Path) -> Iterator[Path]:
    """Yield the file to write. For standard output it is one in the data folder, copied when it is complete."""
    if file != STANDARD_STREAM:
        yield file
        return
    with make_folder(settings) as folder:
        yield folder / "backup.tar"
        with (folder / "backup.tar").open("rb") as made:
            shutil.copyfileobj(made, sys.stdout.buffer)
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def read_through(settings: Settings, file: Path) -> Iterator[Path]:
    if file != STANDARD_STREAM:
        yield file
        return
    with make_folder(settings) as folder:
        with (folder / "backup.tar").open("xb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield folder / "backup.tar"


@contextlib.contextmanager
def make_folder(settings: Settings) -> Iterator[Path]:
    """Yield a temporary folder in the data folder, which has room for a backup even if a container's /tmp has not."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".kept-stream-", dir=settings.data_dir) as folder:
        yield Path(folder)


def open_bar(what: str) -> Progress:
    return open_progress(TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
