"""kill -9 between a save's request and its answer: what was accepted is there afterwards, and ends well."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from kept.storage.database.driver import sqlite
from support.servers.commands import KEPT, kept
from support.servers.local_servers import free_port, wait_until

pytestmark = pytest.mark.requirement("000", "edge case: the API process dies during a save")

PARAGRAPH = "<p>" + "The harbour was quiet that morning, and nobody thought of the storm to come. " * 5 + "</p>"
PAGE = f'<title>Harbour</title><meta property="og:image" content="/i.png"><article>{PARAGRAPH * 6}</article>'
# From before the first transaction to after the answer: the page itself takes 200 ms.
POINTS_MS = (10, 210, 300)
ALL_POINTS_MS = (0, 10, 40, 80, 210, 230, 300)
FINAL = {"ready_for_reading", "failed", "blocked", "invalid_url"}


@contextmanager
def serving(environment: dict[str, str], port: int) -> Iterator["subprocess.Popen[bytes]"]:
    server = subprocess.Popen(
        [KEPT, "serve"],
        env=environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: answers(port), seconds=60, what="Kept")
        yield server
    finally:
        kill(server)


def kill(server: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def answers(port: int) -> bool:
    with suppress(OSError):
        return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).status == 200)
    return False


def save(port: int, token: str, url: str, accepted: list[str]) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/items",
        data=json.dumps({"url": url}).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with suppress(OSError, ValueError):
        accepted.append(json.load(urllib.request.urlopen(request, timeout=10))["data"]["id"])


@pytest.mark.parametrize("points_ms", [POINTS_MS, pytest.param(ALL_POINTS_MS, marks=pytest.mark.long)], ids=len)
def test_a_save_that_was_accepted_survives_kill_9_at_any_point(
    tmp_path: Path, httpserver: HTTPServer, points_ms: tuple[int, ...]
) -> None:
    def slow_page(request: Request) -> Response:
        time.sleep(0.2)
        return Response(PAGE, content_type="text/html")

    for number in range(len(points_ms)):
        httpserver.expect_request(f"/{number}").respond_with_handler(slow_page)
    port, origin = free_port(), f"http://127.0.0.1:{httpserver.port}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")} | {
        "KEPT_DATA_DIR": str(tmp_path),
        "KEPT_PORT": str(port),
        "KEPT_FETCH_ALLOW": f"127.0.0.0/8:{httpserver.port}",
        "KEPT_FETCH_PORTS": f"80,{httpserver.port}",
        "KEPT_HOST_GAP_SECONDS": "0",
        "KEPT_RENDER": "never",
        "KEPT_STORE_IMAGES": "false",
        "KEPT_LEASE_SECONDS": "5",
    }
    assert kept("user", "add", "ann", "--password-stdin", folder=tmp_path, stdin="long enough\n").returncode == 0
    token = kept("token", "create", "--user", "ann", folder=tmp_path).stdout.strip()
    accepted: list[str] = []
    for number, point_ms in enumerate(points_ms):
        with serving(environment, port) as server:
            saving = threading.Thread(target=save, args=(port, token, f"{origin}/{number}", accepted))
            saving.start()
            time.sleep(point_ms / 1000)
            kill(server)
            saving.join()
    with serving(environment, port):
        wait_until(lambda: not pending(tmp_path), seconds=90, what="the last job")
    items = dict(rows(tmp_path))
    assert set(accepted) <= set(items)
    assert items, "no kill came late enough for a save to be accepted"
    assert set(items.values()) <= FINAL
    assert [status for item_id, status in items.items() if item_id in accepted] == ["ready_for_reading"] * len(accepted)


def rows(folder: Path) -> list[tuple[str, str]]:
    with sqlite.connect(folder / "kept.db") as connection:
        found = connection.execute("SELECT i.id, m.processing_status FROM items i JOIN media m ON m.id = i.media_id")
        return [(f"{i[:8]}-{i[8:12]}-{i[12:16]}-{i[16:20]}-{i[20:]}", status) for i, status in found]


def pending(folder: Path) -> bool:
    return any(status not in FINAL for _, status in rows(folder))
