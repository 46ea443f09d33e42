"""Backup and restore of the embedded default: one SQLite file and a folder of blobs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from kept.config import Settings
from kept.storage.backup import restore
from kept.storage.backup.create import BackedUp, BackupFailed, write_backup
from kept.storage.database.sqlite import find_database_file
from kept.version import __version__


@dataclass(frozen=True, slots=True)
class Restored:
    folder: Path
    previous: Path | None
    """The folder to which the instance that was there before was moved."""


def back_up(
    settings: Settings, file: Path, *, replace: bool, now: datetime, on_blob: Callable[[int, int], None]
) -> BackedUp:
    """Write everything the embedded default holds into one file, also while the server runs.

    `on_blob` is called with how many blobs of how many are done.
    """
    database, blobs = find_embedded_files(settings)
    target = file.resolve()  # where a link leads
    if target.exists() and not target.is_file():
        raise BackupFailed(f"{file} is not a file; - writes to standard output.")
    if target.exists() and not replace:
        raise BackupFailed(f"{file} already exists; --force replaces it.")
    try:
        return write_backup(database, blobs, target, kept_version=__version__, now=now, on_blob=on_blob)
    except OSError as error:
        raise BackupFailed(f"cannot write {file.absolute()}: {error.strerror or error}") from None


def restore_backup(
    settings: Settings, file: Path, *, replace: bool, now: datetime, on_file: Callable[[int], None]
) -> Restored:
    """Restore a backup. What is there already is moved aside. `on_file` is called with the bytes read so far."""
    database, blobs = find_embedded_files(settings)
    if not file.exists():
        raise BackupFailed(f"{file} does not exist.")
    if not file.is_file():
        raise BackupFailed(f"{file} is not a file; - reads standard input.")
    previous = restore.restore_backup(file, database, blobs, replace=replace, now=now, on_file=on_file)
    return Restored(database.parent, previous)


def find_embedded_files(settings: Settings) -> tuple[Path, Path]:
    """Return where the embedded default keeps its data: one SQLite file and one folder of blobs.

    BackupFailed, with what to use instead, is raised where the data lives elsewhere.
    """
    database, others = find_database_file(settings.sqlalchemy_url), []
    if database is None:
        others.append("the database is PostgreSQL: use pg_dump and pg_restore")
    if settings.blob_url is not None:
        others.append("blobs are in S3: use the bucket's versioning or replication")
    if database is None or others:
        told = "; ".join(others)
        raise BackupFailed(f"this works with SQLite and local blobs only, but {told}. See docs/operating.md.")
    return database, settings.data_dir / "blobs"
