"""One SQLite library in each process: a second one, open on the same file, would drop the first one's locks."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from kept.storage.database.driver import sqlite
from support.servers.commands import environment

ROUNDS = 10
WRITER = Path(__file__).parents[2] / "support" / "servers" / "watched_writer.py"

SERVER = """
from kept.asgi import create_app
from kept.cli import serving
from kept.config import load_settings
from kept.services.maintenance.schema import prepare_schema
prepare_schema(load_settings())
create_app(load_settings())
"""
WORKER = """
import asyncio
from kept.wiring.worker import open_executor
from kept.config import load_settings
from kept.worker.main import choose_slots
async def start():
    settings = load_settings()
    async with open_executor(settings, choose_slots(settings)):
        pass
asyncio.run(start())
"""
COMMAND = """
from kept.cli.main import main
main()
"""
# At its end each process says which of its modules are SQLite: `_sqlite3`, `pysqlite3._sqlite3`, `sqlean._sqlite3`.
TELL_LIBRARIES = """
import atexit, sys
def tell_libraries():
    print(*(name for name in sys.modules if name.rpartition(".")[2] == "_sqlite3"))
atexit.register(tell_libraries)
"""


def list_libraries(folder: Path, program: str, *arguments: str | Path) -> list[str]:
    command = [sys.executable, "-c", TELL_LIBRARIES + program, *arguments]
    done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of an installation, with a backup of it."""
    folder = tmp_path_factory.mktemp("home")
    list_libraries(folder, COMMAND, "migrate")
    list_libraries(folder, COMMAND, "backup", folder / "backup.tar")
    return folder


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        (SERVER, ()),
        (WORKER, ()),
        (COMMAND, ("migrate",)),
        (COMMAND, ("doctor",)),
        (COMMAND, ("backup", "again.tar")),
        (COMMAND, ("restore", "backup.tar", "--force")),
    ],
    ids=["server", "worker", "migrate", "doctor", "backup", "restore"],
)
def test_a_process_loads_one_sqlite_library(
    program: str, arguments: tuple[str, ...], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    libraries = list_libraries(home, program, *arguments)
    assert len(libraries) == 1, libraries


def test_rows_committed_by_two_processes_survive_backups_and_wake_up_threads(
    tmp_path: Path, sqlite_template: Path
) -> None:
    path = tmp_path / "kept.db"
    path.write_bytes(sqlite_template.read_bytes())
    writers = [
        subprocess.Popen(
            [sys.executable, str(WRITER), str(path), str(ROUNDS), name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    told = [writer.communicate(timeout=120) for writer in writers]
    with contextlib.closing(sqlite.connect(path)) as connection:
        rows = {name for (name,) in connection.execute("SELECT name FROM hosts")}
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    committed = {name for stdout, _ in told for name in stdout.split()}
    assert committed - rows == set()
    assert [complaints for _, complaints in told] == ["", ""]
