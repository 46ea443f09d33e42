"""What the server and the worker import when they start: foreign bytes are parsed in child processes, so neither needs
a parser, and each library that is not imported is memory that an idle machine keeps."""

import subprocess
import sys
from pathlib import Path

import pytest

from kept.api.routes import items, search
from kept.asgi import list_routes
from kept.config import Settings
from kept.storage.database.schema import migrate
from kept.web import pages
from support.commands import environment

PARSERS = {"selectolax", "nh3", "cchardet", "PIL", "pypdfium2", "bs4", "playwright"}
SERVER = """
import sys
from kept.asgi import create_app
from kept.config import load_settings
create_app(load_settings())
print(*sys.modules)
"""
WORKER = """
import asyncio, sys
from kept.bootstrap import open_executor
from kept.config import load_settings
from kept.worker.main import choose_slots
async def start():
    settings = load_settings()
    async with open_executor(settings, choose_slots(settings)):
        print(*sys.modules)
asyncio.run(start())
"""
SERVING = """
import sys
from kept.cli import start_server
start_server.leave_out_old_pydantic()
import kept.cli.serving
from kept.asgi import create_app
from kept.config import load_settings
create_app(load_settings())
print(*sys.modules)
"""
WITHOUT_OPTIONS = """
import sys
from kept.cli import main, start_server
start_server.start_server = lambda settings: print(*sys.modules)
sys.argv = ["kept", "serve"]
main.main()
"""
# What starts while somebody waits for an article: databases, items and the libraries of servers are nothing to it.
NOT_TO_READ_PAGES = {
    "pysqlite3",
    "sqlite3",
    "ssl",
    "email",
    "asyncio",
    "pydantic",
    "pypdfium2",
    "sqlalchemy",
    "kept.domain.item",
}
CARD_READER = """
import sys
import kept.subprocesses.workers
kept.subprocesses.workers.open_cards()
print(*sys.modules)
"""
EXTRACTOR = """
import sys
import kept.subprocesses.workers
kept.subprocesses.workers.open_extraction("/nonexistent/node", "/nonexistent/bundle")
print(*sys.modules)
"""


def list_modules(program: str, folder: Path) -> set[str]:
    migrate(Settings(data_dir=folder).sqlalchemy_url)
    command, env = [sys.executable, "-c", program], environment(folder)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("program", [SERVER, WORKER], ids=["server", "worker"])
def test_a_process_that_parses_nothing_imports_no_parser(program: str, tmp_path: Path) -> None:
    modules = list_modules(program, tmp_path)
    assert "kept.storage.database.engine" in modules
    assert modules & PARSERS == set()


@pytest.mark.parametrize("program", [CARD_READER, EXTRACTOR], ids=["card reader", "extractor"])
def test_a_process_that_reads_pages_imports_little_else(program: str, tmp_path: Path) -> None:
    modules = list_modules(program, tmp_path)
    assert "selectolax.lexbor" in modules
    assert modules & NOT_TO_READ_PAGES == set()


def test_the_server_imports_one_pydantic(tmp_path: Path) -> None:
    """Of the older one, which FastAPI looks for, there is a name without a module."""
    modules = list_modules(SERVING, tmp_path)
    assert "pydantic.main" in modules
    assert "pydantic.v1.main" not in modules


def test_a_server_without_options_imports_nothing_that_reads_them(tmp_path: Path) -> None:
    modules = list_modules(WITHOUT_OPTIONS, tmp_path)
    assert "kept.worker.forking" in modules
    assert modules & {"typer", "click", "kept.cli.commands"} == set()


def test_routes_are_those_that_their_modules_made() -> None:
    """FastAPI prepares each route of an included router a second time: 5 MB of a server."""
    made = {id(route) for family in (items, search, *pages.FAMILIES) for route in family.router.routes}
    assert made <= {id(route) for route in list_routes()}
