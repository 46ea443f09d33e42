"""`kept config`: the effective configuration, without secrets."""

import json

from pydantic import SecretStr

from kept.cli.output import AsJson, print_table
from kept.config import VARIABLES, Settings, load_settings


def config(as_json: AsJson = False) -> None:
    """Show every setting: its value, whether it was set, and what it is for."""
    settings = load_settings()
    if as_json:
        print(json.dumps({name: plain(getattr(settings, name)) for name in VARIABLES}, indent=2))
        return
    print_table(("variable", "value", "", "meaning"), [describe(settings, name) for name in VARIABLES])


def describe(settings: Settings, name: str) -> tuple[str, str, str, str]:
    changed, meaning = "set" if name in settings.model_fields_set else "", Settings.model_fields[name].description
    return VARIABLES[name], shown(getattr(settings, name)), changed, meaning or ""


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
