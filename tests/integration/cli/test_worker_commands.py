"""`kept serve` with its worker, `kept worker`, `kept queue`, and what scrapes tell."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from pytest_httpserver import HTTPServer

from kept.domain.job import JobKind
from kept.storage.database.engine import Database
from support.builders.jobs import ask, new_job
from support.chaos.fleet import WORKER_NAME, name_of
from support.servers.commands import KEPT, environment, kept, kept_in_thread
from support.servers.local_servers import free_port, wait_until
from support.servers.serving import RunningKept

pytestmark = pytest.mark.requirement("Kept", "the worker lives and dies with its server")


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
            if name_of(child.pid) == WORKER_NAME:
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
        assert first.nice() > psutil.Process(server.pid).nice(), "a worker gives way to its server"
        first.kill()
        wait_until(lambda: said(tmp_path, "worker.started") == 2, seconds=60, what="the worker's return")
        second = get_worker(server)
        assert second.pid != first.pid
        assert os.getsid(second.pid) == second.pid, "Ctrl-C in a terminal reaches the server alone"
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert is_gone(second)
        assert said(tmp_path, "worker.stopped") == 1


def test_a_server_that_cannot_start_leaves_no_worker(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = kept("serve", "--port", str(taken.getsockname()[1]), folder=tmp_path)
    assert done.returncode == 1
    assert "cannot listen" in done.stderr
    assert [each for each in psutil.process_iter(["environ"]) if is_of(each, tmp_path)] == []


def is_of(process: psutil.Process, folder: Path) -> bool:
    return str(folder) in ((process.info["environ"] or {}).get("KEPT_DATA_DIR") or "")


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        pytest.param(("serve", "--no-worker"), {}, id="told not to", marks=pytest.mark.long),
        pytest.param(
            ("serve",), {"KEPT_EXECUTOR": "celery", "KEPT_BROKER_URL": "redis://127.0.0.1:1/0"}, id="Celery does it"
        ),
    ],
)
def test_serve_without_a_worker(tmp_path: Path, arguments: tuple[str, ...], variables: dict[str, str]) -> None:
    port = free_port()
    with serving(tmp_path, *arguments, "--port", str(port), **variables) as server:
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


def scrape(port: int, metric: str) -> float:
    """The value of a metric, 0 while nobody has counted."""
    told = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    found = [line.split()[-1] for line in told.splitlines() if line.startswith(f"{metric} ")]
    return float(found[0]) if found else 0


@pytest.mark.requirement("000", "FR-026")
@pytest.mark.requirement("Kept", "server and worker tell their own metrics")
def test_server_and_worker_tell_their_own_metrics_at_their_own_ports(tmp_path: Path, httpserver: HTTPServer) -> None:
    port, worker_port, failed = free_port(), free_port(), 'kept_ingests_total{outcome="failed"}'
    httpserver.expect_request("/gone").respond_with_data("gone", status=404)
    site = httpserver.url_for("/gone").replace("localhost", "127.0.0.1")
    allowed = {"KEPT_FETCH_ALLOW": f"127.0.0.0/8:{httpserver.port}", "KEPT_FETCH_PORTS": f"80,{httpserver.port}"}
    chosen = {**allowed, "KEPT_RENDER": "never", "KEPT_HOST_GAP_SECONDS": "0"}
    kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n")
    with serving(tmp_path, "serve", "--port", str(port), KEPT_WORKER_METRICS_PORT=str(worker_port), **chosen) as server:
        wait_until(lambda: said(tmp_path, "worker.started") == 1, seconds=60, what="the worker")
        kept("add", site, folder=tmp_path, **chosen)
        wait_until(lambda: scrape(worker_port, failed) == 1, seconds=60, what="the failure in the worker's metrics")
        assert scrape(port, failed) == 0
        scrapes = 'kept_http_requests_total{method="GET",route="/metrics",status="200"}'
        assert (scrape(port, scrapes), scrape(worker_port, scrapes)) == (1, 0)
        worker = get_worker(server)
        server.kill()
        server.wait()
        wait_until(lambda: is_gone(worker), what="the worker's end with its server")


def test_an_unknown_queue_is_one_clear_line(tmp_path: Path) -> None:
    outcome = kept("worker", "--queue", "ingest,export", folder=tmp_path)
    assert (outcome.returncode, outcome.stderr) == (
        2,
        "kept: unknown queue 'ingest,export'; choose from ingest, render\n",
    )


def fill(database: Database) -> None:
    ask(database, *[new_job(host="a.example") for _ in range(3)], new_job(kind=JobKind.STORE_IMAGES))


async def test_queue_shows_what_waits(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    fill(database)
    await database.close()
    outcome = await kept_in_thread("queue", "--json", folder=tmp_path)
    found = json.loads(outcome.stdout)
    [ingest, render] = found["queues"]
    assert (ingest["queue"], ingest["due"], ingest["waiting"], ingest["in_flight"]) == ("ingest", 2, 2, 0)
    assert ingest["kinds"] == {"ingest": 3, "store_images": 1}
    assert ingest["oldest_due_seconds"] >= 0
    assert (render["due"], render["oldest_due_seconds"]) == (0, None)
    assert found["hosts"] == [{"host": "a.example", "jobs": 3}]
    assert found["last_failures"] == []
    shown = await kept_in_thread("queue", folder=tmp_path, COLUMNS="160")
    assert "waiting for host" in shown.stdout
    assert "a.example" in shown.stdout


async def test_a_scrape_tells_the_depth_and_the_oldest(running: RunningKept) -> None:
    fill(running.kept.database)
    told = (await running.nobody.get("/metrics")).body.decode()
    assert 'kept_queue_depth{kind="ingest",queue="ingest",state="waiting"} 2.0' in told
    assert 'kept_queue_depth{kind="store_images",queue="ingest",state="due"} 1.0' in told
    [oldest] = [line for line in told.splitlines() if line.startswith('kept_queue_oldest_due_seconds{queue="ingest"}')]
    assert float(oldest.split()[1]) > 0
