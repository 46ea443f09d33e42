"""kill -9 in the middle of an import, by the shell and in a worker: nothing doubled, nothing missing."""

import asyncio
import json
import os
import signal
import subprocess
from pathlib import Path

from kept.config import Settings
from kept.domain.account import Scope, Viewer
from kept.services.accounts.users import list_users
from kept.services.importing.imports import list_imports, resume_import
from kept.storage.database.driver import sqlite
from kept.wiring.server import open_kept
from support.servers.commands import KEPT, environment, run_kept_process
from support.servers.local_servers import wait_until

SETTINGS = {"KEPT_RENDER": "never", "KEPT_LEASE_SECONDS": "1"}
ROWS = 3000
UNKNOWN = 7


def write_file(path: Path) -> None:
    lines = ["title,url,time_added,tags,status"]
    # addresses the gate refuses, so that the worker's crawl goes nowhere
    lines += [f"Page {n},http://127.0.{n % 40}.1/{n},{1500000000 + n},a|b,unread" for n in range(ROWS)]
    lines += [f"Odd {n},mailto:{n}@example.com,1,,unread" for n in range(UNKNOWN)]
    path.write_text("\n".join(lines))


def ask(folder: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite.connect(f"file:{folder / 'kept.db'}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def written(folder: Path) -> int:
    return int(str(ask(folder, "SELECT count(*) FROM import_rows")[0][0]))


def run_until(folder: Path, command: list[str | Path], rows: int) -> None:
    """Start it, and kill it and its children once that many rows are there."""
    process = subprocess.Popen(
        command,
        env=environment(folder, **SETTINGS),
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: written(folder) >= rows or process.poll() is not None, seconds=120, what=f"row {rows}")
        assert process.poll() is None, "it was over before it could be killed"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def prepare(folder: Path) -> None:
    command = ("user", "add", "ann", "--password-stdin")
    assert run_kept_process(folder, *command, stdin="long enough\n", **SETTINGS).returncode == 0


def require_whole(folder: Path) -> None:
    outcomes = ask(folder, "SELECT outcome, count(*) FROM import_rows GROUP BY outcome ORDER BY outcome")
    assert outcomes == [("imported", ROWS), ("rejected", UNKNOWN)]
    ordinals = [row[0] for row in ask(folder, "SELECT ordinal FROM import_rows ORDER BY ordinal")]
    assert ordinals == list(range(ROWS + UNKNOWN))
    for table in ("items", "media", "url_aliases"):
        assert ask(folder, f"SELECT count(*) FROM {table}") == [(ROWS,)], table
    assert ask(folder, "SELECT count(DISTINCT url) FROM items") == [(ROWS,)]
    assert ask(folder, "SELECT count(*) FROM item_tags") == [(2 * ROWS,)]
    there = "SELECT count(*) FROM import_rows JOIN items ON items.id = item_id WHERE outcome = 'imported'"
    assert ask(folder, there) == [(ROWS,)]


def test_an_import_by_the_shell_survives_kill_9(tmp_path: Path) -> None:
    prepare(tmp_path)
    write_file(tmp_path / "pocket.csv")
    run_until(tmp_path, [KEPT, "import", tmp_path / "pocket.csv"], 500)
    [(found,)] = ask(tmp_path, "SELECT id FROM imports")
    import_id = str(found)
    run_until(tmp_path, [KEPT, "import", "--resume", import_id], 1500)
    ended = run_kept_process(tmp_path, "import", "--resume", import_id, "--json", **SETTINGS)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert (told["state"], told["imported"], told["rejected"]) == ("done", ROWS, UNKNOWN)
    assert ask(tmp_path, "SELECT count(*) FROM jobs") == [(ROWS,)]
    require_whole(tmp_path)


def test_an_import_in_a_worker_survives_kill_9(tmp_path: Path) -> None:
    prepare(tmp_path)
    write_file(tmp_path / "pocket.csv")
    run_until(tmp_path, [KEPT, "import", tmp_path / "pocket.csv"], 300)
    asyncio.run(resume(tmp_path))
    worker: list[str | Path] = [KEPT, "worker", "--queue", "ingest", "--concurrency", "1"]
    run_until(tmp_path, worker, 1000)
    run_until(tmp_path, worker, 2000)
    process = subprocess.Popen(
        worker, env=environment(tmp_path, **SETTINGS), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: ask(tmp_path, "SELECT state FROM imports") == [("done",)], seconds=240, what="the import")
    finally:
        process.kill()
        process.wait()
    require_whole(tmp_path)


async def resume(folder: Path) -> None:
    """As the page's button does."""
    async with open_kept(Settings(data_dir=folder)) as kept:
        [user] = await kept.read(list_users)
        viewer = Viewer(user, frozenset(Scope))
        [one] = await kept.read(list_imports, viewer)
        await resume_import(kept.database, kept.saver.notifier, viewer, one.found.id, now=kept.now())
