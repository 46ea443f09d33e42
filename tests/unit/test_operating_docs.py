"""docs/operating.md says what the code does."""

import re
from pathlib import Path

from kept.config import Settings
from support.tools import load_tool

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text()


def test_its_tables_are_those_the_code_gives() -> None:
    assert load_tool("write_tables").fill(PAGE) == PAGE, "run .venv/bin/python tools/write_tables.py"


def test_every_metric_that_is_exported_is_documented_and_no_other() -> None:
    documented = set(re.findall(r"^\| `(kept_[a-z_]+)` \| \w+ \|", PAGE, re.MULTILINE))
    assert {name.removesuffix("_total") for name in documented} == load_tool("write_tables").exported_names()


def test_every_setting_is_documented() -> None:
    table = PAGE.partition("<!-- settings -->")[2].partition("<!-- end of settings -->")[0]
    documented = set(re.findall(r"^\| `KEPT_([A-Z0-9_]+)` \|", table, re.MULTILINE))
    assert {name.lower() for name in documented} == set(Settings.model_fields)


def test_every_setting_the_page_speaks_of_exists() -> None:
    named = set(re.findall(r"KEPT_[A-Z0-9_]+", PAGE))
    of_compose = set(re.findall(r"\$\{(KEPT_[A-Z0-9_]+)", (ROOT / "compose.yaml").read_text()))
    assert named <= {f"KEPT_{name.upper()}" for name in Settings.model_fields} | {"KEPT_CONFIG"} | of_compose


def test_every_family_of_log_lines_is_documented() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "src" / "kept").rglob("*.py"))
    events = re.findall(r'\blog\.\w+\(\s*f?"([a-z_]+)\.[a-z_{}]+"', source)
    events += re.findall(r'\blevel\("([a-z_]+)\.', source)
    logs = PAGE.partition("Events are named")[2].partition("## Settings")[0]
    first_column = "\n".join(line.split("|")[1] for line in logs.splitlines() if "|" in line)
    documented = set(re.findall(r"`([a-z_]+)`", first_column))
    assert len(events) > 30
    assert set(events) == documented
