"""`kept serve` with its worker, `kept worker`, `kept queue`, and what a scrape tells of the queue."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from kept.jobs.job import JobKind
from kept.storage.database import Database
from support.jobs import ask, new_job
from support.servers import free_port, wait_until

KEPT = Path(sys.executable).with_name("kept")


def environment(folder: Path, **variables: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    return clean | {"KEPT_DATA_DIR": str(folder)} | variables


def kept(folder: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [str(KEPT), *arguments]
    return subprocess.run(command, env=environment(folder, **variables), capture_output=True, text=True, timeout=60)


@contextmanager
def serving(folder: Path, *arguments: str, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    chosen = environment(folder, KEPT_PORT=str(free_port()), **variables)
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([str(KEPT), *arguments], stdout=subprocess.DEVNULL, stderr=log, env=chosen)
    try:
        yield server
    finally:
        server.kill()
        server.wait()


def said(folder: Path, event: str) -> int:
    return (folder / "log").read_text().count(f'"event": "{event}"')


def worker_of(server: "subprocess.Popen[bytes]") -> psutil.Process | None:
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(server.pid).children():
            if "kept.worker" in child.cmdline():
                return child
    return None


def get_worker(server: "subprocess.Popen[bytes]") -> psutil.Process:
    worker = worker_of(server)
    assert worker is not None
    return worker


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_serve_keeps_a_worker_alive_and_takes_it_along(tmp_path: Path) -> None:
    with serving(tmp_path, "serve") as server:
        wait_until(lambda: said(tmp_path, "worker.started") == 1, seconds=60, what="the worker")
        first = get_worker(server)
        first.kill()
        wait_until(lambda: said(tmp_path, "worker.started") == 2, seconds=60, what="the worker's return")
        second = get_worker(server)
        assert second.pid != first.pid
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert is_gone(second)
        assert said(tmp_path, "worker.stopped") == 1


def test_a_worker_dies_with_its_server(tmp_path: Path) -> None:
    with serving(tmp_path, "serve") as server:
        wait_until(lambda: said(tmp_path, "worker.started") == 1, seconds=60, what="the worker")
        worker = get_worker(server)
        server.kill()
        server.wait()
        wait_until(lambda: is_gone(worker), what="the worker's end")


def test_where_celery_runs_the_jobs_serve_starts_no_worker(tmp_path: Path) -> None:
    port = free_port()
    celery = {"KEPT_EXECUTOR": "celery", "KEPT_BROKER_URL": "redis://127.0.0.1:1/0"}
    with serving(tmp_path, "serve", "--port", str(port), **celery) as server:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), seconds=60, what="the server")
        assert worker_of(server) is None


def answers(url: str) -> bool:
    try:
        return bool(urllib.request.urlopen(url).status == 200)
    except OSError:
        return False


def test_a_worker_of_its_own_runs_until_it_is_stopped(tmp_path: Path) -> None:
    with serving(tmp_path, "worker", "--queue", "render", "--concurrency", "2") as worker:
        wait_until(lambda: said(tmp_path, "worker.started") == 1, seconds=60, what="the worker")
        assert '"slots": {"render": 2}' in (tmp_path / "log").read_text()
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0


def test_an_unknown_queue_is_one_clear_line(tmp_path: Path) -> None:
    outcome = kept(tmp_path, "worker", "--queue", "ingest,export")
    assert (outcome.returncode, outcome.stderr) == (
        2,
        "kept: queues are ingest, render; 'ingest,export' is not of them\n",
    )


def test_queue_shows_what_waits(tmp_path: Path) -> None:
    assert kept(tmp_path, "migrate").returncode == 0
    asyncio.run(fill(tmp_path))
    found = json.loads(kept(tmp_path, "queue", "--json").stdout)
    [ingest, render] = found["queues"]
    assert (ingest["queue"], ingest["due"], ingest["waiting"], ingest["in_flight"]) == ("ingest", 2, 2, 0)
    assert ingest["kinds"] == {"ingest": 3, "store_images": 1}
    assert ingest["oldest_due_seconds"] >= 0
    assert (render["due"], render["oldest_due_seconds"]) == (0, None)
    assert found["hosts"] == [{"host": "a.example", "jobs": 3}]
    assert found["last_failures"] == []
    shown = kept(tmp_path, "queue").stdout
    assert "waiting for host" in shown
    assert "a.example" in shown


async def fill(folder: Path) -> None:
    database = Database(f"sqlite:///{folder / 'kept.db'}")
    await ask(database, *[new_job(host="a.example") for _ in range(3)], new_job(kind=JobKind.STORE_IMAGES))
    await database.close()


def test_a_scrape_tells_the_depth_and_the_oldest(tmp_path: Path) -> None:
    assert kept(tmp_path, "migrate").returncode == 0
    asyncio.run(fill(tmp_path))
    port = free_port()
    with serving(tmp_path, "serve", "--no-worker", "--port", str(port)) as server:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), seconds=60, what="the server")
        assert worker_of(server) is None
        told = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    assert 'kept_queue_depth{kind="ingest",queue="ingest",state="waiting"} 2.0' in told
    assert 'kept_queue_depth{kind="store_images",queue="ingest",state="due"} 1.0' in told
    [oldest] = [line for line in told.splitlines() if line.startswith('kept_queue_oldest_due_seconds{queue="ingest"}')]
    assert float(oldest.split()[1]) > 0
