"""Write everything the embedded default holds into one file, also while the server runs."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from kept.config import Settings
from kept.services.maintenance.find_embedded_files import find_embedded_files
from kept.storage.backup.create import BackedUp, BackupFailed, write_backup
from kept.version import __version__


def back_up(
    settings: Settings, file: Path, *, replace: bool, now: datetime, on_blob: Callable[[int, int], None]
) -> BackedUp:
    """`on_blob` is told how many blobs of how many are done."""
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
