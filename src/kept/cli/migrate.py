"""`kept migrate`: bring the database schema up to date."""

from typing import Annotated

import typer

from kept.config import load_settings
from kept.storage.database import schema


def migrate(
    check: Annotated[bool, typer.Option("--check", help="Only check; exit 1 if a migration is needed.")] = False,
) -> None:
    """Upgrade the database to the schema of this version. Safe to run twice, and from several machines at once."""
    url = load_settings().sqlalchemy_url
    if check:
        state = schema.read_schema_state(url)
        print(state.value)
        raise typer.Exit(0 if state is schema.SchemaState.CURRENT else 1)
    schema.migrate(url)
    print("the database is up to date")
