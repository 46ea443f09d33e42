"""Writes the tables of docs/operating.md that come from the code, settings and metrics.

`.venv/bin/python tools/write_tables.py`. A test holds the page and the code together; whoever adds a setting or a
metric runs this.
"""

import re
import sys
from pathlib import Path

from prometheus_client import REGISTRY
from prometheus_client.metrics import MetricWrapperBase
from pydantic_core import PydanticUndefined

from kept import observability
from kept.cli.config import shown
from kept.config import Settings

PAGE = Path(__file__).parent.parent / "docs" / "operating.md"


def settings_table() -> str:
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default is PydanticUndefined else shown(field.default)
        lines.append(f"| `KEPT_{name.upper()}` | {f'`{default}`' if default else ''} | {field.description} |")
    return "\n".join(lines)


def metrics_table() -> str:
    lines = ["| metric | kind | labels | meaning |", "|---|---|---|---|"]
    for collector in vars(observability).values():
        for metric in collector.describe() if isinstance(collector, MetricWrapperBase) else ():
            name = f"{metric.name}_total" if metric.type == "counter" else metric.name
            labels = ", ".join(f"`{label}`" for label in collector._labelnames)
            lines.append(f"| `{name}` | {metric.type} | {labels} | {metric.documentation} |")
    return "\n".join(lines)


def exported_names() -> set[str]:
    return {metric.name for metric in REGISTRY.collect() if metric.name.startswith("kept_")}


def fill(page: str) -> str:
    for name, table in (("settings", settings_table()), ("metrics", metrics_table())):
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        assert place.search(page), f"docs/operating.md has no place for {name}"
        page = place.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", page)
    return page


if __name__ == "__main__":
    PAGE.write_text(fill(PAGE.read_text()))
    sys.stderr.write(f"wrote {PAGE}\n")
