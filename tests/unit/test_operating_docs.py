"""docs/operating.md says what the code does."""

import re
from pathlib import Path

from kept.config import VARIABLES
from kept.services.ingesting.attempts import METRICS
from support.tools import load_tool

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text()
OTHER_NAMES = {"KEPT_CONFIG", "KEPT_CORPUS", "KEPT_TAGS"}
"""Which file to read, a variable of the tests, a name in the code."""


def test_its_tables_are_those_the_code_gives() -> None:
    assert load_tool("write_tables").fill(PAGE) == PAGE, "run .venv/bin/python tools/write_tables.py"


def test_every_metric_that_is_exported_is_documented_and_no_other() -> None:
    documented = set(re.findall(r"^\| `(kept_[a-z_]+)` \| \w+ \|", PAGE, re.MULTILINE))
    assert {name.removesuffix("_total") for name in documented} == load_tool("write_tables").exported_names()


def test_every_setting_is_documented() -> None:
    table = PAGE.partition("<!-- settings -->")[2].partition("<!-- end of settings -->")[0]
    assert re.findall(r"^\| `(KEPT_[A-Z0-9_]+)` \|", table, re.MULTILINE) == list(VARIABLES.values())


def test_every_setting_the_pages_speak_of_exists() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    named = {name for page in pages for name in re.findall(r"\bKEPT_[A-Z0-9_]*[A-Z0-9]\b", page.read_text())}
    of_compose = set(re.findall(r"\$\{(KEPT_[A-Z0-9_]+)", (ROOT / "compose.yaml").read_text()))
    assert named <= {*VARIABLES.values(), *OTHER_NAMES} | of_compose


def test_every_family_of_log_lines_is_documented() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "src" / "kept").rglob("*.py"))
    events = re.findall(r'\blog\.\w+\(\s*f?"([a-z_]+)\.[a-z_{}]+"', source)
    events += re.findall(r'\blevel\("([a-z_]+)\.', source)
    events += list(METRICS)  # an attempt's line is named by its kind of job
    logs = PAGE.partition("Events are named")[2].partition("## Settings")[0]
    first_column = "\n".join(line.split("|")[1] for line in logs.splitlines() if "|" in line)
    documented = set(re.findall(r"`([a-z_]+)`", first_column))
    assert len(events) > 30
    assert set(events) == documented
