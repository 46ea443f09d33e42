"""`kept migrate`: bring the database schema up to date."""

from typing import Annotated

import typer

from kept.config import load_settings
from kept.domain.schema import SchemaState
from kept.services.maintenance.migrate_schema import migrate_schema
from kept.services.maintenance.read_schema_state import read_schema_state


def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only check; exit 1 if a migration is needed.")] = False,
) -> None:
    """Upgrade the database to the schema of this version. Safe to run twice, and from several machines at once."""
    settings = load_settings()
    if check:
        state = read_schema_state(settings)
        print(state.value)
        raise typer.Exit(0 if state is SchemaState.CURRENT else 1)
    migrate_schema(settings)
    print("the database is up to date")
