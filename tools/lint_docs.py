"""The docs name only what exists, and their settings, metrics, log lines and commands are those of the code."""

import re
from collections.abc import Iterator
from pathlib import Path

import check_docs
import typer
import write_tables

from kept.cli.importing import FORMATS
from kept.cli.main import app
from kept.config import VARIABLES
from kept.content.import_formats.registry import BY_NAME
from kept.services.ingesting.attempts import METRICS

ROOT = Path(__file__).parents[1]
OPERATING = "docs/operating.md"
COMMANDS_PAGE = "docs/cli.md"
# Which file to read, a variable of the tests, a name in the code.
OTHER_NAMES = {"KEPT_CONFIG", "KEPT_CORPUS", "KEPT_TAGS"}
# They run until they are stopped, and print no data; `mcp` speaks a protocol. The other two hold further commands.
WITHOUT_DATA = {"serve", "worker", "mcp", "user", "token"}


def find_faults() -> Iterator[str]:
    yield from check_docs.check_all()
    yield from (f"{OPERATING}: {fault}" for fault in find_operating_faults(read(OPERATING)))
    yield from find_unknown_settings()
    yield from (f"{COMMANDS_PAGE}: {fault}" for fault in find_command_faults(read(COMMANDS_PAGE)))


def find_operating_faults(page: str) -> Iterator[str]:
    if write_tables.fill(page) != page:
        yield "its tables are not those of the code: run .venv/bin/python tools/write_tables.py"
    metrics = {
        name.removesuffix("_total") for name in re.findall(r"^\| `(kept_[a-z_]+)` \| \w+ \|", page, re.MULTILINE)
    }
    yield from tell_difference("metric", metrics, write_tables.exported_names())
    table = page.partition("<!-- settings -->")[2].partition("<!-- end of settings -->")[0]
    if re.findall(r"^\| `(KEPT_[A-Z0-9_]+)` \|", table, re.MULTILINE) != list(VARIABLES.values()):
        yield "its settings are not those of the code, in their order"
    yield from tell_difference("family of log lines", families_told(page), families_logged())


def families_told(page: str) -> set[str]:
    logs = page.partition("Events are named")[2].partition("## Settings")[0]
    first_column = "\n".join(line.split("|")[1] for line in logs.splitlines() if "|" in line)
    return set(re.findall(r"`([a-z_]+)`", first_column))


def families_logged() -> set[str]:
    source = "\n".join(path.read_text() for path in (ROOT / "src" / "kept").rglob("*.py"))
    events = re.findall(r'\blog\.\w+\(\s*f?"([a-z_]+)\.[a-z_{}]+"', source)
    events += re.findall(r'\blevel\("([a-z_]+)\.', source)
    assert len(events) > 30, "this no longer finds the log lines"
    return {*events, *METRICS}  # an attempt's line is named by its kind of job


def tell_difference(what: str, told: set[str], real: set[str]) -> Iterator[str]:
    yield from (f"the {what} {name} is not there" for name in sorted(real - told))
    yield from (f"there is no {what} {name}" for name in sorted(told - real))


def find_unknown_settings() -> Iterator[str]:
    of_compose = set(re.findall(r"\$\{(KEPT_[A-Z0-9_]+)", read("compose.yaml")))
    known = {*VARIABLES.values(), *OTHER_NAMES} | of_compose
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        named = set(re.findall(r"\bKEPT_[A-Z0-9_]*[A-Z0-9]\b", page.read_text()))
        yield from (f"{page.relative_to(ROOT)}: there is no setting {name}" for name in sorted(named - known))


def find_command_faults(page: str) -> Iterator[str]:
    group = typer.main.get_command(app)
    commands = group.commands  # type: ignore[attr-defined]
    if write_tables.fill_commands(page) != page:
        yield "its table is not that of the code: run .venv/bin/python tools/write_tables.py"
    for name in sorted(commands.keys() - WITHOUT_DATA):
        if "--json" not in [option for parameter in commands[name].params for option in parameter.opts]:
            yield f"`kept {name}` prints data, and not as JSON"
    shown = set(re.findall(r"^    kept ([a-z]+)", page, re.MULTILINE))
    if not shown:
        yield "it shows no command"
    yield from (f"there is no command {name}" for name in sorted(shown - commands.keys()))
    if not {"install_completion", "show_completion"} <= {parameter.name for parameter in group.params}:
        yield "completion cannot be installed as it says"
    if ", ".join(BY_NAME) != FORMATS:
        yield "the help of `kept import` does not name every format"


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
