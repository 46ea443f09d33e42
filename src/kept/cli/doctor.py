"""`kept doctor`: what works on this machine, what does not, and what to do about it."""

import asyncio
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, Literal

import typer
from rich.console import Console

from kept.bootstrap import create_blobs
from kept.children.node import BUNDLE, find_node
from kept.cli.config import AsJson
from kept.config import Settings, load_settings
from kept.fetch.browser.chromium import find_chromium
from kept.storage import schema
from kept.storage.database import DatabaseUnreachable
from kept.version import __version__

FREE_DISK_WANTED: Final = 1024**3
# 3.51.3 and these back-ports repaired the reset of the write-ahead log.
SQLITE_WANTED: Final = (3, 51, 3)

MARKS: Final = {"ok": "[green]ok[/]", "limited": "[yellow]limited[/]", "broken": "[red]broken[/]"}


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    state: Literal["ok", "limited", "broken"]
    message: str
    advice: str = ""


def doctor(as_json: AsJson = False) -> None:
    """Check everything Kept depends on. Exits 1 if something is broken."""
    settings = load_settings()
    findings = [check(settings) for check in CHECKS]
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        show(findings)
    raise typer.Exit(1 if any(finding.state == "broken" for finding in findings) else 0)


def show(findings: list[Finding]) -> None:
    console = Console()
    for finding in findings:
        console.print(f"{MARKS[finding.state]:<20} [bold]{finding.name}[/]: {finding.message}", highlight=False)
        if finding.advice:
            console.print(f"           {finding.advice}", highlight=False)


def check_version(settings: Settings) -> Finding:
    return Finding("kept", "ok", f"{__version__} on Python {sys.version.split()[0]}")


def check_database(settings: Settings) -> Finding:
    try:
        state = schema.read_schema_state(settings.sqlalchemy_url)
    except DatabaseUnreachable as error:
        return Finding("database", "broken", str(error), "Check KEPT_DATABASE_URL, and that the server runs.")
    match state:
        case schema.SchemaState.CURRENT:
            return Finding("database", "ok", "reachable, schema current")
        case schema.SchemaState.NEWER:
            return Finding("database", "broken", "written by a newer Kept", "Upgrade Kept, or restore a backup.")
        case _:
            return Finding(
                "database", "limited", f"schema {state.value}", "`kept serve` or `kept migrate` upgrades it."
            )


def check_sqlite(settings: Settings) -> Finding:
    if sqlite3.sqlite_version_info >= SQLITE_WANTED:
        return Finding("sqlite", "ok", sqlite3.sqlite_version)
    advice = "Install the pysqlite3 package for a current one."
    return Finding("sqlite", "limited", f"{sqlite3.sqlite_version} has known faults in its write-ahead log", advice)


def check_blobs(settings: Settings) -> Finding:
    try:
        asyncio.run(create_blobs(settings).check())
    except (OSError, ImportError) as error:
        return Finding(
            "blobs", "broken", str(error), "Pictures cannot be kept. Check KEPT_BLOB_URL or the data folder."
        )
    return Finding("blobs", "ok", settings.blob_url or str(settings.data_dir / "blobs"))


def check_disk(settings: Settings) -> Finding:
    folder = next(path for path in (settings.data_dir, *settings.data_dir.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    state: Literal["ok", "limited"] = "ok" if free >= FREE_DISK_WANTED else "limited"
    return Finding("disk", state, f"{free / 1024**3:.1f} GiB free at {settings.data_dir}")


def check_chromium(settings: Settings) -> Finding:
    found = find_chromium(settings.chromium)
    if found:
        return Finding("browser", "ok", str(found))
    advice = "Install Debian's package chromium, or set KEPT_CHROMIUM."
    return Finding("browser", "limited", "no Chromium: no screenshots, and pages made by scripts stay unread", advice)


def check_node(settings: Settings) -> Finding:
    found = find_node(settings.node)
    if found and BUNDLE.is_file():
        return Finding("node", "ok", str(found))
    if found:
        advice = "Run ./run once with npm installed; a wheel carries it ready made."
        return Finding("node", "limited", "the Readability bundle was not built: articles cannot be extracted", advice)
    return Finding("node", "limited", "no Node: articles cannot be extracted", "Install nodejs, or set KEPT_NODE.")


CHECKS: Final[tuple[Callable[[Settings], Finding], ...]] = (
    check_version,
    check_database,
    check_sqlite,
    check_blobs,
    check_disk,
    check_chromium,
    check_node,
)
