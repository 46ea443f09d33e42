"""What a short command imports: most of its time is imports, so it must not load what only the server needs."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from kept.cli.console import TERMINAL_VARIABLES
from kept.config import Settings
from kept.storage.database.engine import Database
from kept.storage.database.schema import is_current, migrate
from support.accounts import make_user
from support.commands import environment
from support.transactions import writing

SERVER_ONLY = {"alembic", "argon2", "babel", "fastapi", "jinja2", "limits", "lxml", "playwright", "uvicorn"}
HEAVY = SERVER_ONLY | {
    "aiohttp",
    "markdown_it",
    "prometheus_client",
    "rich",
    "sqlalchemy.ext",
    "sqlalchemy.orm",
    "structlog",
}
# Of ours: what an English search or a list has no use for.
UNUSED = {"kept.content.page.description", "kept.content.search.words"}
# With the modules that each had when this was written (1,370 before commands imported only what they need, then 560).
# The standard library has more or fewer from one version of Python to the next.
SHORT = {
    ("list",): 469,
    ("list", "--json"): 474,
    ("search", "harbour"): 506,
    ("search", "--json", "harbour"): 510,
    ("queue",): 452,
    ("queue", "--json"): 452,
    ("token", "list"): 457,
    ("open", "--print", "https://example.org/"): 483,
}
MARGIN = 40
MEASURED = """
import sys
from kept.cli.main import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    url = Settings(data_dir=folder).sqlalchemy_url
    migrate(url)
    database = Database(url)
    make_user(database)
    database.dispose()
    return folder


@pytest.mark.parametrize("command", SHORT)
def test_a_short_command_in_a_pipe_imports_nothing_of_the_server_and_no_rich(
    command: tuple[str, ...], folder: Path
) -> None:
    modules = list_modules(command, folder)
    assert (HEAVY | UNUSED) & modules == set()
    assert len(modules) < SHORT[command] + MARGIN


def test_adding_a_link_imports_what_saves_it_and_nothing_else_of_the_server(folder: Path) -> None:
    modules = list_modules(("add", "http://127.0.0.1:9/"), folder)
    assert "kept.fetch.gate" in modules
    assert (SERVER_ONLY | {"kept.services.images.store"}) & modules == set()


def test_the_configuration_is_shown_without_the_database(folder: Path) -> None:
    assert {"sqlalchemy", "rich.console"} & run_listing(("config",), folder) == set()


@pytest.mark.parametrize("command", [("--version",), ("--help",)])
def test_what_is_no_command_imports_none(command: tuple[str, ...], folder: Path) -> None:
    assert {"asyncio", "pydantic", "sqlalchemy", "kept.config"} & run_listing(command, folder) == set()


@pytest.mark.parametrize("command", [("list",), ("search", "harbour")])
def test_the_models_of_the_api_are_imported_for_json_alone(command: tuple[str, ...], folder: Path) -> None:
    assert "kept.api.item_models" not in list_modules(command, folder)


def list_modules(command: tuple[str, ...], folder: Path) -> set[str]:
    modules = run_listing(command, folder)
    assert "kept.storage.database.engine" in modules, modules
    return modules


def run_listing(command: tuple[str, ...], folder: Path) -> set[str]:
    piped = {name: value for name, value in environment(folder).items() if name not in TERMINAL_VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], env=piped, capture_output=True, text=True, timeout=120
    )
    modules = set(done.stderr.split())
    assert "kept.cli.commands" in modules, done.stderr
    return modules


def test_a_migrated_database_is_current_and_an_older_or_an_empty_one_is_not(folder: Path, tmp_path: Path) -> None:
    url = Settings(data_dir=folder).sqlalchemy_url
    assert is_current(url)
    assert not is_current(Settings(data_dir=tmp_path).sqlalchemy_url)
    database = Database(url)
    with writing(database) as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert not is_current(url)
    database.dispose()
