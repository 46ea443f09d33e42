"""Foreign bytes are parsed in child processes: neither the server nor the worker imports a parser of them. Neither of
them needs a package that is optional."""

import subprocess
import sys
from pathlib import Path

import pytest

from kept.config import Settings
from kept.storage.migrations.schema import migrate
from support.servers.commands import environment

pytestmark = pytest.mark.requirement(
    "Kept", "speed and memory at home (`./bench save`, `ingest`, `cold`, `idle`, `cli`)"
)

PARSERS = {"selectolax", "nh3", "cchardet", "PIL", "pypdfium2", "bs4", "playwright"}
EXTRAS = ("celery", "kombu", "redis", "obstore", "psycopg", "mcp")
NOT_INSTALLED = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))"
SERVER = """
import kept.cli.main
from kept.asgi import create_app
from kept.config import load_settings
create_app(load_settings())
print(*sys.modules)
"""
WORKER = """
import asyncio
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
def test_a_process_that_parses_nothing_imports_no_parser_and_needs_no_optional_package(
    program: str, tmp_path: Path
) -> None:
    migrate(Settings(data_dir=tmp_path).sqlalchemy_url)
    command, env = [sys.executable, "-c", NOT_INSTALLED + program], environment(tmp_path)
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
    """Together they would add 100 ms until the first article after a rest is readable."""
    command = [sys.executable, "-c", EXTRACTION]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=120, check=True)
    modules = set(done.stdout.split())
    assert "kept.content.article.extract" in modules
    assert modules & {"pydantic", "asyncio", "kept.domain.item"} == set()
