"""`kept migrate`: bring the database schema up to date."""

import json
from typing import Annotated

import typer

from kept.cli.options import AsJson
from kept.cli.progress import show_waiting
from kept.config import load_settings
from kept.domain.schema import SchemaState
from kept.services.maintenance.schema import migrate_schema, read_schema_state


def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only check; exit 1 if a migration is needed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Upgrade the database to the schema of this version. Safe to run twice, and from several machines at once."""
    settings = load_settings()
    if check:
        state = read_schema_state(settings)
        print(json.dumps({"schema": state.value}) if as_json else state.value)
        raise typer.Exit(0 if state is SchemaState.CURRENT else 1)
    with show_waiting("migrating"):
        migrate_schema(settings)
    print(json.dumps({"schema": SchemaState.CURRENT.value}) if as_json else "the database is up to date")
