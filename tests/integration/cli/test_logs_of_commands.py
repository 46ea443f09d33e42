"""Whatever a command logs goes to standard error: its standard output is data."""

import subprocess
import sys
from pathlib import Path

import pytest

from kept.config import Settings
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from support.builders.accounts import make_user
from support.servers.commands import environment

ASKED = """
import sys
from kept.cli.main import main
try:
    main()
finally:
    structlog = sys.modules.get("structlog")
    print("on standard output" if structlog and not structlog.is_configured() else "elsewhere", file=sys.stderr)
"""
# One of each way to open what a command needs.
COMMANDS = (("list", "--json"), ("add", "http://127.0.0.1:9/"), ("backup", "-"), ("fetch", "http://127.0.0.1:9/"))
OTHER_COMMANDS = (
    ("list",),
    ("search", "harbour"),
    ("queue",),
    ("stats",),
    ("retry", "--failed"),
    ("open", "--print", "https://example.org/"),
    ("read", "https://example.org/"),
    ("export", "-o", "-"),
    ("migrate",),
    ("clean",),
    ("reindex",),
    ("config",),
    ("user", "list"),
    ("token", "list"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    url = Settings(data_dir=folder).sqlalchemy_url
    migrate(url)
    database = Database(url)
    make_user(database)
    database.dispose()
    return folder


@pytest.mark.parametrize(
    "command",
    [*COMMANDS, *(pytest.param(command, marks=pytest.mark.long) for command in OTHER_COMMANDS)],
    ids=" ".join,
)
def test_a_command_logs_nothing_among_its_data(command: tuple[str, ...], folder: Path) -> None:
    program = [sys.executable, "-c", ASKED, *command]
    done = subprocess.run(program, env=environment(folder), capture_output=True, timeout=120)
    assert done.stderr.splitlines()[-1] == b"elsewhere", done.stderr
