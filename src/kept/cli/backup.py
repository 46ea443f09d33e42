"""`kept backup` and `kept restore`, for the default storage: one SQLite file and one folder of blobs."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sqlalchemy import make_url

from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.storage.backup.create import BackedUp, BackupFailed, write_backup
from kept.storage.backup.restore import restore_backup
from kept.version import __version__


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; compressed if its name ends in .gz.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Back up everything on this server into one file, also while it runs. The file contains secrets: keep it safe."""
    database, blobs = require_embedded(load_settings())
    if file.exists() and not force:
        raise BackupFailed(f"{file} already exists; --force replaces it.")
    with open_progress("backing up") as progress:
        bar = progress.add_task("", total=None)

        def show(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        made = try_to_write(database, blobs, file.absolute(), show)
    gone = f" ({made.gone} skipped: their pages were removed meanwhile)" if made.gone else ""
    print(f"Backed up the database and {made.blobs} files{gone} to {file}, {made.bytes / 1e6:.1f} MB.", file=sys.stderr)


def try_to_write(database: Path, blobs: Path, file: Path, show: object) -> BackedUp:
    try:
        return write_backup(database, blobs, file, kept_version=__version__, now=utc_now(), on_blob=show)  # type: ignore[arg-type]
    except OSError as error:
        raise BackupFailed(f"cannot write {file}: {error.strerror or error}") from None


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `kept backup`.")],
    force: Annotated[bool, typer.Option("--force", help="Move existing data aside, then restore.")] = False,
) -> None:
    """Restore a backup. Existing data is refused, or with --force moved aside. Stop Kept first."""
    database, blobs = require_embedded(load_settings())
    if not file.is_file():
        raise BackupFailed(f"{file} does not exist.")
    with open_progress("restoring") as progress:
        bar = progress.add_task("", total=file.stat().st_size)
        aside = restore_backup(
            file,
            database,
            blobs,
            replace=force,
            now=utc_now(),
            on_file=lambda read: progress.update(bar, completed=read),
        )
    print(f"Restored {file} to {database.parent}.", file=sys.stderr)
    if aside:
        print(f"The previous data is in {aside}; delete it when you no longer need it.", file=sys.stderr)


def open_progress(what: str) -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def require_embedded(settings: Settings) -> tuple[Path, Path]:
    """The database's file and the folder of blobs; refused with what to use instead where they are elsewhere."""
    url = make_url(settings.sqlalchemy_url)
    others = []
    if url.get_backend_name() != "sqlite" or not url.database:
        others.append("the database is PostgreSQL: use pg_dump and pg_restore")
    if settings.blob_url is not None:
        others.append("blobs are in S3: use the bucket's versioning or replication")
    if others:
        told = "; ".join(others)
        raise BackupFailed(f"this works with SQLite and local blobs only, but {told}. See docs/operating.md.")
    return Path(url.database or ""), settings.data_dir / "blobs"
