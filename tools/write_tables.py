"""Writes the tables that come from the code: settings and metrics in docs/operating.md, commands in docs/cli.md.

`.venv/bin/python tools/write_tables.py`. A test holds the page and the code together; whoever adds a setting or a
metric runs this.
"""

import re
import sys
from pathlib import Path

import typer
from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from pydantic_core import PydanticUndefined

from kept import metrics
from kept.cli.config import shown
from kept.cli.main import app
from kept.config import VARIABLES, Settings

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "operating.md"
COMMANDS_PAGE = DOCS / "cli.md"


def settings_table() -> str:
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, variable in VARIABLES.items():
        field = Settings.model_fields[name]
        default = "" if field.default is PydanticUndefined else shown(field.default)
        lines.append(f"| `{variable}` | {f'`{default}`' if default else ''} | {field.description} |")
    return "\n".join(lines)


def metrics_table() -> str:
    lines = ["| metric | kind | labels | meaning |", "|---|---|---|---|"]
    for collector in vars(metrics).values():
        for metric in collector.describe() if isinstance(collector, MetricWrapperBase) else ():
            name = f"{metric.name}_total" if metric.type == "counter" else metric.name
            labels = ", ".join(f"`{label}`" for label in collector._labelnames)
            lines.append(f"| `{name}` | {metric.type} | {labels} | {metric.documentation} |")
    return "\n".join(lines)


def commands_table() -> str:
    lines = ["| command | what it does |", "|---|---|"]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    said = {name: command.short_help or command.help for name, command in commands.items()}
    return "\n".join([*lines, *(f"| `kept {name}` | {text} |" for name, text in said.items())])


def exported_names() -> set[str]:
    return {metric.name for metric in REGISTRY.collect() if metric.name.startswith("kept_")}


def fill(page: str) -> str:
    return put(put(page, "settings", settings_table()), "metrics", metrics_table())


def fill_commands(page: str) -> str:
    return put(page, "commands", commands_table())


def put(page: str, name: str, table: str) -> str:
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    assert place.search(page), f"the page has no place for {name}"
    return place.sub(lambda found: f"{found[1]}{table}\n{found[2]}", page)


if __name__ == "__main__":
    for path, filled in ((PAGE, fill), (COMMANDS_PAGE, fill_commands)):
        path.write_text(filled(path.read_text()))
        sys.stderr.write(f"wrote {path}\n")
