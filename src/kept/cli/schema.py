"""`kept migrate`, `kept clean` and `kept reindex`: the schema, data nobody needs any more, and the search index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from kept.cli.output import AsJson, show_count, show_share, show_waiting
from kept.cli.running import run, run_on_database
from kept.config import load_settings
from kept.domain.schema import SchemaState

if TYPE_CHECKING:
    from kept.wiring.server import Kept
    from kept.wiring.stores import Database


def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only check; exit 1 if a migration is needed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Upgrade the database to the schema of this version. Safe to run twice, and from several machines at once."""
    from kept.services.maintenance.schema import migrate_schema, read_schema_state

    settings = load_settings()
    if check:
        state = read_schema_state(settings)
        print(json.dumps({"schema": state.value}) if as_json else state.value)
        raise typer.Exit(0 if state is SchemaState.CURRENT else 1)
    with show_waiting("migrating"):
        migrate_schema(settings)
    print(json.dumps({"schema": SchemaState.CURRENT.value}) if as_json else "the database is up to date")


def clean(as_json: AsJson = False) -> None:
    """Delete pages that are in no library any more, with their images, and files that belong to no page."""
    from kept.services.maintenance.cleaning import remove_orphans, sweep_blobs

    async def action(kept: Kept) -> tuple[int, int]:
        with show_count("deleting pages") as advance:
            removed = await remove_orphans(kept.database, kept.blobs, now=kept.now(), advance=advance)
        with show_count("deleting unused files") as advance:
            return removed, await sweep_blobs(kept.database, kept.blobs, now=kept.now(), advance=advance)

    removed, swept = run(action)
    if as_json:
        print(json.dumps({"removed_media": removed, "removed_files": swept}))
    else:
        print(f"Deleted {removed} pages and {swept} unused files.")


def reindex(as_json: AsJson = False) -> None:
    """Rebuild the search index, also while Kept runs. If interrupted, it continues where it stopped."""
    from kept.services.maintenance.search_index import reindex as reindex_all
    from kept.services.maintenance.search_index import start_reindex

    async def action(database: Database) -> int:
        total = await database.write(start_reindex)
        with show_share("indexing", total) as advance:
            return await reindex_all(database, advance=advance)

    done = run_on_database(action)
    print(json.dumps({"indexed": done}) if as_json else f"Indexed {done} items and pages.")
