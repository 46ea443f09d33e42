"""`kept config`: the effective configuration, without secrets."""

import json
from typing import Annotated

import typer
from pydantic import SecretStr

from kept.cli.console import make_console
from kept.config import Settings, load_settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def config(as_json: AsJson = False) -> None:
    """Show every setting: its value, whether it was set, and what it is for."""
    settings = load_settings()
    if as_json:
        print(json.dumps({name: plain(getattr(settings, name)) for name in Settings.model_fields}, indent=2))
        return
    from rich.table import Table

    table = Table("variable", "value", "", "meaning", box=None)
    for name, field in Settings.model_fields.items():
        changed = "set" if name in settings.model_fields_set else ""
        table.add_row(f"KEPT_{name.upper()}", shown(getattr(settings, name)), changed, field.description)
    make_console().print(table)


def plain(value: object) -> object:
    match value:
        case SecretStr():
            return "(secret)"
        case frozenset():
            return sorted(value)
        case tuple():
            return [str(part) for part in value]
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)


def shown(value: object) -> str:
    value = plain(value)
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "" if value is None else str(value)
