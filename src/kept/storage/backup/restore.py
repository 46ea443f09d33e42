"""Restoring a backup. Nothing of the old instance changes until the backup has been checked.

The new blobs are added beside the old ones (keys are never used twice), and then one rename puts the new database in
the place of the old: before it the old instance is whole, after it the new one. Blobs that only the old one named are
swept up later, like any that no row names.
"""

import contextlib
import json
import lzma
import os
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from kept.domain.errors import first_line
from kept.domain.schema import SchemaState
from kept.storage.backup.create import (
    ABOUT,
    BLOBS,
    DATABASE,
    END,
    FORMAT,
    VERSION,
    BackupFailed,
    list_blobs,
    require_sound,
    sync_folder_of,
)
from kept.storage.blobs.store import KEY_PATTERN
from kept.storage.database.driver import sqlite
from kept.storage.migrations import schema

JOURNALS: Final = ("-wal", "-shm", "-journal")


def restore_backup(
    source: Path,
    database: Path,
    blobs: Path,
    *,
    replace: bool,
    now: datetime,
    on_file: Callable[[int], None] = lambda _: None,
) -> Path | None:
    """Restore a backup; return where the old instance was put, if any. `on_file` gets the bytes read so far."""
    if database.exists() and not replace:
        raise BackupFailed(f"{database} is there already; --force puts it aside and restores.")
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    blobs.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".kept-restore-", dir=database.parent) as folder:
        staged = Path(folder)
        unpack(source, staged, on_file)
        check_staged(staged)
        old = set_aside(database, blobs, now) if database.exists() else None
        move_blobs(staged / BLOBS, blobs)
        os.sync()
        remove_journals(database)
        (staged / DATABASE).replace(database)
        sync_folder_of(database)
    return old


# --- what a backup must be ------------------------------------------------------------------------------------------


def unpack(source: Path, staged: Path, on_file: Callable[[int], None]) -> None:
    """Unpack a backup; raise BackupFailed unless it has exactly the members of one, in their order."""
    try:
        with source.open("rb") as file, tarfile.open(fileobj=file, mode="r|*") as archive:
            names = unpack_members(archive, staged, lambda: on_file(file.tell()))
            if names != [ABOUT, DATABASE, END]:
                raise BackupFailed(f"{source} is not a backup of Kept, or not all of one.")
    except (OSError, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise BackupFailed(f"cannot read {source}: {first_line(error)}") from None


def unpack_members(archive: tarfile.TarFile, staged: Path, on_file: Callable[[], None]) -> list[str]:
    names: list[str] = []
    for entry in archive:
        key = entry.name.removeprefix(f"{BLOBS}/")
        is_blob = key != entry.name and KEY_PATTERN.fullmatch(key) is not None
        if not entry.isreg() or not (is_blob or entry.name in {ABOUT, DATABASE, END}):
            raise BackupFailed(f"{entry.name!r} has no place in a backup of Kept.")
        unpack_one(archive, entry, staged / entry.name)
        if not is_blob:
            names.append(entry.name)
        if entry.name == ABOUT:
            check_about(read_object(staged / ABOUT))
        archive.members = []  # type: ignore[attr-defined] # it would remember every file until the end
        on_file()
    return names


def unpack_one(archive: tarfile.TarFile, entry: tarfile.TarInfo, target: Path) -> None:
    content = archive.extractfile(entry)
    assert content is not None
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with target.open("xb") as file:
        os.chmod(target, 0o600)
        shutil.copyfileobj(content, file)


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object of the backup; return an empty one for anything else."""
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def check_about(about: Mapping[str, Any]) -> None:
    if about.get("format") != FORMAT:
        raise BackupFailed("this is not a backup of Kept.")
    if about.get("version") != VERSION:
        raise BackupFailed(f"the backup was made by a newer Kept ({about.get('kept_version')}); upgrade Kept first.")


def check_staged(staged: Path) -> None:
    """Check that the backup is whole, of a known schema and has every blob it names; upgrade its schema."""
    expected = read_object(staged / END).get("blobs")
    found = sum(1 for path in (staged / BLOBS).rglob("*") if path.is_file())
    if found != expected:
        raise BackupFailed(f"the backup is not whole: {found} of {expected} blobs.")
    require_database(staged / DATABASE)
    url = f"sqlite:///{staged / DATABASE}"
    if schema.read_schema_state(url) is SchemaState.NEWER:
        about = read_object(staged / ABOUT)
        raise BackupFailed(f"the backup was made by a newer Kept ({about.get('kept_version')}); upgrade Kept first.")
    schema.migrate(url)
    with contextlib.closing(sqlite.connect(staged / DATABASE)) as connection:
        require_sound(connection)
        needed = [blob.key for blob in list_blobs(connection) if blob.can_be_forgotten]
        missing = [key for key in needed if not (staged / BLOBS / key).is_file()]
        connection.execute("PRAGMA journal_mode = DELETE")
    if missing:
        raise BackupFailed(f"the backup is not whole: {len(missing)} blobs are missing, first {missing[0]}")


def require_database(path: Path) -> None:
    """Require a database with Kept's tables: an empty one would become a new instance without notice."""
    try:
        with contextlib.closing(sqlite.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as connection:
            found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    except sqlite.Error as error:
        raise BackupFailed(f"the backup's database is damaged: {error}") from None
    if found != (1,):
        raise BackupFailed("the backup's database is not one of Kept.")


# --- the old instance -----------------------------------------------------------------------------------------------


def set_aside(database: Path, blobs: Path, now: datetime) -> Path:
    """Make a complete copy of the old instance, with hard links where possible, so that it costs no space."""
    settle(database)
    aside = database.parent / f"before-restore-{now:%Y%m%dT%H%M%SZ}"
    aside.mkdir(mode=0o700)
    link(database, aside / DATABASE)
    for path in blobs.rglob("*"):
        if path.is_file():
            target = aside / BLOBS / path.relative_to(blobs)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            link(path, target)
    return aside


def settle(database: Path) -> None:
    """Merge the write-ahead log into the database file; this also fails if a running Kept uses the database."""
    try:
        with contextlib.closing(sqlite.connect(database, timeout=1)) as connection:
            [(mode,)] = connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite.Error as error:
        if "locked" not in str(error):
            return  # a damaged database is put aside as it is
        mode = "wal"
    if mode != "delete":
        raise BackupFailed(f"{database} is in use: stop Kept first.")


def remove_journals(database: Path) -> None:
    for suffix in JOURNALS:
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def move_blobs(staged: Path, blobs: Path) -> None:
    for path in staged.rglob("*"):
        if path.is_file():
            target = blobs / path.relative_to(staged)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.replace(target)
