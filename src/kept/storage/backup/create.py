"""Backups of the embedded default: a SQLite file and a folder of blobs, as one tar file; and back again.

The database is copied in one read transaction while others write; blobs do not change under their keys, so those that
the copy names are taken afterwards. One that was removed in between (with its page, which the copy still has) is
forgotten in the copy, so that every blob the copy names is in the backup. Why so: docs/decisions/0005-backups.md.
"""

import contextlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Final

from kept.domain.errors import OperatorError
from kept.storage.blobs.store import KEY_PATTERN
from kept.storage.database.driver import sqlite
from kept.storage.tables import metadata

FORMAT: Final = "kept-backup"
VERSION: Final = 1
ABOUT: Final = "backup.json"
DATABASE: Final = "kept.db"
BLOBS: Final = "blobs"
END: Final = "end.json"
# Columns of these names hold keys of blobs, in whatever table.
KEY_COLUMNS: Final = frozenset({"blob_key", "thumbnail_key"})


class BackupFailed(OperatorError):
    """The backup could not be made or put in place; the message says why."""


@dataclass(frozen=True, slots=True)
class BackedUp:
    blobs: int
    bytes: int
    gone: int
    """Blobs whose page was removed while the backup was made."""


def write_backup(
    database: Path, blobs: Path, target: Path, *, kept_version: str, now: datetime, on_blob: Callable[[int, int], None]
) -> BackedUp:
    """Write a backup; `target` appears when it is complete. `on_blob` gets how many of how many are done."""
    with tempfile.TemporaryDirectory(prefix=".kept-backup-", dir=target.parent) as folder:
        copy, partial = Path(folder) / DATABASE, Path(folder) / "backup.tar"
        copy_database(database, copy)
        about = {"format": FORMAT, "version": VERSION, "made_at": now.isoformat(), "kept_version": kept_version}
        mode = "w|gz" if target.suffix in {".gz", ".tgz"} else "w|"
        with open_private(partial) as file, tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
            add_json(archive, ABOUT, about, now)
            done = add_blobs(archive, copy, blobs, on_blob)
            archive.add(copy, DATABASE)
            add_json(archive, END, {"blobs": done.blobs}, now)
        partial.replace(target)
        sync_folder_of(target)
    return BackedUp(done.blobs, target.stat().st_size, done.gone)


def copy_database(database: Path, copy: Path) -> None:
    if not database.is_file():
        raise BackupFailed(f"there is no database at {database}: nothing to back up.")
    try:
        copy_pages(database, copy)
    except sqlite.DatabaseError as error:
        raise BackupFailed(f"cannot copy {database}: {error}") from None
    os.chmod(copy, 0o600)


def copy_pages(database: Path, copy: Path) -> None:
    """Copy the database in one step: SQLite starts again when another process writes between two steps."""
    with (
        contextlib.closing(sqlite.connect(database)) as source,
        contextlib.closing(sqlite.connect(copy)) as target,
    ):
        source.execute("PRAGMA busy_timeout = 5000")
        source.execute("PRAGMA query_only = ON")
        source.backup(target, pages=-1)
        # The copy is one file, without a log beside it.
        target.execute("PRAGMA journal_mode = DELETE")
        require_sound(target)


def require_sound(connection: sqlite.Connection) -> None:
    [(verdict,), *_] = connection.execute("PRAGMA integrity_check").fetchall()
    if verdict != "ok":
        raise BackupFailed(f"the database is damaged: {verdict}")


@dataclass(frozen=True, slots=True)
class NamedBlob:
    table: str
    column: str
    key: str
    can_be_forgotten: bool
    """Whether the key may be cleared; if not, the file may be missing on purpose, as an import's is when it is done."""


def list_blobs(connection: sqlite.Connection) -> Iterator[NamedBlob]:
    """Yield every blob the database names."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.name in KEY_COLUMNS and table.name in there and has_column(connection, table.name, column.name):
                query = f'SELECT DISTINCT "{column.name}" FROM "{table.name}" WHERE "{column.name}" IS NOT NULL'  # noqa: S608
                for (key,) in connection.execute(query):
                    yield NamedBlob(table.name, column.name, key, bool(column.nullable))


def has_column(connection: sqlite.Connection, table: str, column: str) -> bool:
    """Return whether a table has a column; a backup may be older than the column."""
    return any(row[1] == column for row in connection.execute(f'PRAGMA table_info("{table}")'))


def add_blobs(archive: tarfile.TarFile, copy: Path, blobs: Path, on_blob: Callable[[int, int], None]) -> BackedUp:
    added = 0
    with contextlib.closing(sqlite.connect(copy)) as connection:
        named = sum(1 for _ in list_blobs(connection))
        lost: list[NamedBlob] = []
        for blob in list_blobs(connection):
            if add_blob(archive, blobs, blob.key):
                added += 1
            elif blob.can_be_forgotten:
                lost.append(blob)
            on_blob(added + len(lost), named)
        for blob in lost:
            forget = f'UPDATE "{blob.table}" SET "{blob.column}" = NULL WHERE "{blob.column}" = ?'  # noqa: S608
            connection.execute(forget, (blob.key,))
        connection.commit()
    return BackedUp(added, 0, len(lost))


def add_blob(archive: tarfile.TarFile, blobs: Path, key: str) -> bool:
    if not KEY_PATTERN.fullmatch(key):
        return False
    try:
        file = (blobs / key).open("rb")
    except FileNotFoundError:
        return False
    with file:  # opened before it is measured: a screenshot may be replaced at any moment
        archive.addfile(archive.gettarinfo(arcname=f"{BLOBS}/{key}", fileobj=file), file)
    archive.members = []  # type: ignore[attr-defined] # it would remember every file until the end
    return True


def add_json(archive: tarfile.TarFile, name: str, content: object, now: datetime) -> None:
    data = json.dumps(content, indent=2).encode()
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(data), int(now.timestamp()), 0o600
    archive.addfile(entry, io.BytesIO(data))


def open_private(path: Path) -> IO[bytes]:
    """Open a new file that only its owner can read: it holds everybody's links and the hashes of passwords."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def sync_folder_of(path: Path) -> None:
    for each in (path, path.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
