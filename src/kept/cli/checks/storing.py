"""Checks of storage: database, schema, SQLite version, blobs, disk, clock."""

import secrets
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import kept
from kept.cli.checks.finding import Finding, State
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.errors import DatabaseUnreachable
from kept.domain.schema import SchemaState
from kept.services.maintenance.figures import check_database as ask_database
from kept.services.maintenance.figures import measure_clock_difference
from kept.services.maintenance.schema import read_schema_state
from kept.wiring.stores import SQLITE_VERSION, create_blobs, open_database

GIB: Final = 1024**3
FREE_DISK_WANTED: Final = 1 * GIB
# With less than this, SQLite's log, a backup or a browser's folder may no longer fit.
FREE_DISK_NEEDED: Final = 100 * 1024**2
# 3.51.3 and these back-ports repaired the reset of the write-ahead log.
SQLITE_WANTED: Final = (3, 51, 3)
# Leases and retries are timed in seconds; the clocks of machines that share work must agree.
CLOCK_MAY_DIFFER: Final = timedelta(seconds=5)
FILES_MAY_BE_AHEAD: Final = timedelta(minutes=2)


async def check_database(settings: Settings) -> Finding:
    try:
        async with open_database(settings) as database:
            which = await ask_database(database)
    except DatabaseUnreachable as error:
        return Finding("database", "broken", str(error), "Check KEPT_DATABASE_URL, and that the server runs.")
    return Finding("database", "ok", f"{which} answers")


async def check_schema(settings: Settings) -> Finding:
    try:
        state = read_schema_state(settings)
    except DatabaseUnreachable:
        return Finding("schema", "broken", "the database cannot be asked", "See above.")
    match state:
        case SchemaState.CURRENT:
            return Finding("schema", "ok", "up to date")
        case SchemaState.NEWER:
            return Finding("schema", "broken", "written by a newer Kept", "Upgrade Kept, or restore a backup.")
        case _:
            return Finding("schema", "limited", state.value, "`kept serve` or `kept migrate` brings it up to date.")


async def check_sqlite(settings: Settings) -> Finding:
    if tuple(map(int, SQLITE_VERSION.split("."))) >= SQLITE_WANTED:
        return Finding("sqlite", "ok", SQLITE_VERSION)
    advice = "Install the package pysqlite3 or sqlean.py for a newer version."
    return Finding("sqlite", "limited", f"{SQLITE_VERSION} has known bugs in its write-ahead log", advice)


async def check_blobs(settings: Settings) -> Finding:
    """Write a blob, read it back and delete it."""
    key, content = f"check-{secrets.token_hex(8)}", secrets.token_bytes(64)
    where = settings.blob_url or str(settings.data_dir / "blobs")
    advice = "Images cannot be stored. Check KEPT_BLOB_URL, or the data folder and who owns it."
    try:
        blobs = create_blobs(settings)
        await blobs.put(key, content, "application/octet-stream")
        came_back = await blobs.get(key)
        await blobs.delete(key)
        left = await blobs.get(key)
    except Exception as error:  # an S3 client's errors share no class with the system's, and this is an entry point
        return Finding("blobs", "broken", f"{where}: {error}", advice)
    if came_back != content or left is not None:
        return Finding("blobs", "broken", f"{where} does not return what was written", advice)
    return Finding("blobs", "ok", f"{where}: written, read, deleted")


async def check_disk(settings: Settings) -> Finding:
    folder = next(path for path in (settings.data_dir, *settings.data_dir.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    state: State = "broken" if free < FREE_DISK_NEEDED else "limited" if free < FREE_DISK_WANTED else "ok"
    advice = "" if state == "ok" else "Free some space: saving fails when the disk is full."
    return Finding("disk", state, f"{free / GIB:.1f} GiB free at {settings.data_dir}", advice)


async def check_clock(settings: Settings) -> Finding:
    """Compare the clock with our own files, the data folder and the database; no other server is asked."""
    now, advice = utc_now(), "Set the clock, e.g. with systemd-timesyncd or chrony; leases and retries depend on it."
    installed_at = written_at(Path(kept.__file__))
    if installed_at is not None and now < installed_at - FILES_MAY_BE_AHEAD:
        return Finding("clock", "broken", f"{now:%Y-%m-%d %H:%M} UTC is before this Kept was installed", advice)
    newest = max(filter(None, map(written_at, settings.data_dir.glob("kept.db*"))), default=now)
    if newest > now + FILES_MAY_BE_AHEAD:
        return Finding(
            "clock",
            "limited",
            f"the database was written at {newest:%Y-%m-%d %H:%M} UTC, in the future",
            advice,
        )
    async with open_database(settings) as database:
        apart = await measure_clock_difference(database, now=utc_now())
    if apart is not None and apart > CLOCK_MAY_DIFFER:
        return Finding("clock", "limited", f"differs from the database's by {apart.total_seconds():.0f} s", advice)
    return Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M:%S} UTC")


def written_at(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None
