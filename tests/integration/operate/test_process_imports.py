"""Foreign bytes are parsed in child processes: neither the server nor the worker imports a parser of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from kept.config import Settings
from kept.storage.migrations.schema import migrate
from support.commands import environment

pytestmark = pytest.mark.requirement(
    "Kept", "speed and memory at home (`./bench save`, `ingest`, `cold`, `idle`, `cli`)"
)

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
from kept.wiring.worker import open_executor
from kept.config import load_settings
from kept.worker.main import choose_slots
async def start():
    settings = load_settings()
    async with open_executor(settings, choose_slots(settings)):
        print(*sys.modules)
asyncio.run(start())
"""


@pytest.mark.parametrize("program", [SERVER, WORKER], ids=["server", "worker"])
def test_a_process_that_parses_nothing_imports_no_parser(program: str, tmp_path: Path) -> None:
    migrate(Settings(data_dir=tmp_path).sqlalchemy_url)
    command, env = [sys.executable, "-c", program], environment(tmp_path)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=True)
    modules = set(done.stdout.split())
    assert "kept.storage.database.engine" in modules
    assert modules & PARSERS == set()


EXTRACTION = """
import sys
import kept.subprocesses.workers, kept.subprocesses.sidecar, kept.content.article.reading
print(*sys.modules)
"""


def test_a_child_that_somebody_waits_for_imports_neither_pydantic_nor_asyncio(tmp_path: Path) -> None:
    """Together they would double the time until the first article after a rest is readable."""
    command = [sys.executable, "-c", EXTRACTION]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=120, check=True)
    modules = set(done.stdout.split())
    assert "kept.content.article.extract" in modules
    assert modules & {"pydantic", "asyncio", "kept.domain.item"} == set()


EXTRAS = ("celery", "kombu", "redis", "obstore", "psycopg", "mcp")
ALL = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))  # as if they were not installed
import kept.asgi, kept.cli.main, kept.wiring.worker, kept.worker.main
"""


def test_server_worker_and_commands_start_without_the_optional_packages(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ALL, *EXTRAS]
    subprocess.run(command, env=environment(tmp_path), check=True, timeout=120)
