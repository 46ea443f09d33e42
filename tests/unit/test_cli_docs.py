"""docs/cli.md says what the command line does."""

import re
from pathlib import Path

import pytest
import typer

from kept.cli.importing import FORMATS
from kept.cli.main import app
from kept.content.import_formats.registry import BY_NAME
from support.commands import COMMANDS
from support.tools import load_tool

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
# They run until they are stopped, and print no data; `mcp` speaks a protocol.
WITHOUT_DATA = {"serve", "worker", "mcp"}


def test_its_table_is_that_of_the_code() -> None:
    assert load_tool("write_tables").fill_commands(PAGE) == PAGE, "run .venv/bin/python tools/write_tables.py"


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - WITHOUT_DATA - {"user", "token"}))
def test_every_command_that_prints_data_prints_it_as_json_too(name: str) -> None:
    options = [option for parameter in COMMANDS[name].params for option in parameter.opts]
    assert "--json" in options


def test_every_command_it_shows_exists() -> None:
    shown = set(re.findall(r"^    kept ([a-z]+)", PAGE, re.MULTILINE))
    assert shown
    assert shown <= COMMANDS.keys()


def test_completion_can_be_installed_as_it_says() -> None:
    group = typer.main.get_command(app)
    assert {"install_completion", "show_completion"} <= {parameter.name for parameter in group.params}


def test_the_help_of_import_names_every_format() -> None:
    assert ", ".join(BY_NAME) == FORMATS
