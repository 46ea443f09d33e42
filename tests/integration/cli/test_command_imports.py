"""What a short command imports: most of its time is imports, so it must not load what only the server needs."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from kept.config import Settings
from kept.storage.database.engine import Database
from kept.storage.database.revision import is_current
from kept.storage.database.schema import migrate
from support.accounts import make_user
from support.commands import environment
from support.transactions import writing

HEAVY = {"aiohttp", "alembic", "babel", "fastapi", "jinja2", "lxml", "playwright", "prometheus_client", "structlog"} | {
    "sqlalchemy.dialects.postgresql"
}
# 560 when this was written; 1,370 before commands imported only what they need.
MOST_MODULES = 650
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


@pytest.mark.parametrize("command", [("list", "--json"), ("list",), ("search", "harbour"), ("queue",)])
def test_a_short_command_imports_nothing_of_the_server(command: tuple[str, ...], folder: Path) -> None:
    modules = list_modules(command, folder)
    assert HEAVY & modules == set()
    assert len(modules) < MOST_MODULES


@pytest.mark.parametrize("command", [("list", "--json"), ("search", "--json", "harbour"), ("queue", "--json")])
def test_rich_is_imported_for_people_and_not_for_json(command: tuple[str, ...], folder: Path) -> None:
    assert "rich" not in list_modules(command, folder)


@pytest.mark.parametrize("command", [("list",), ("search", "harbour")])
def test_the_models_of_the_api_are_imported_for_json_alone(command: tuple[str, ...], folder: Path) -> None:
    assert "kept.api.item_models" not in list_modules(command, folder)


def list_modules(command: tuple[str, ...], folder: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command], env=environment(folder), capture_output=True, text=True, timeout=120
    )
    modules = set(done.stderr.split())
    assert "kept.storage.database.engine" in modules, done.stderr
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
