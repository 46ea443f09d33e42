"""Put a backup in place of nothing, or of what is there, which is kept aside."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from kept.config import Settings
from kept.services.maintenance.find_embedded_files import find_embedded_files
from kept.storage.backup import restore
from kept.storage.backup.create import BackupFailed


@dataclass(frozen=True, slots=True)
class Restored:
    folder: Path
    previous: Path | None
    """Where the instance that was there before was put."""


def restore_backup(
    settings: Settings, file: Path, *, replace: bool, now: datetime, on_file: Callable[[int], None]
) -> Restored:
    """`on_file` is told the bytes read so far."""
    database, blobs = find_embedded_files(settings)
    if not file.exists():
        raise BackupFailed(f"{file} does not exist.")
    if not file.is_file():
        raise BackupFailed(f"{file} is not a file; - reads standard input.")
    previous = restore.restore_backup(file, database, blobs, replace=replace, now=now, on_file=on_file)
    return Restored(database.parent, previous)
