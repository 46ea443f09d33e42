"""Tries an installed Kept once through: `python3 tools/smoke.py /path/to/kept`. Needs nothing but Python.

A new data folder, an account and a token from the command line, `kept serve`, a page saved from a server on loopback,
its article read. Prints one line for each step; ends with 1 and the server's log if a step does not work.
With `--without-node` there is to be no article: the page must wait for one, and `kept doctor` must say what is missing.
"""

import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

SENTENCE: Final = (
    "The keeper of the lighthouse writes down the weather twice a day, and nothing in it is ever thrown away. "
)
PAGE: Final = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The lighthouse log</title>
<meta name="description" content="What a keeper writes down."></head>
<body><article><h1>The lighthouse log</h1>
{"".join(f"<p>{SENTENCE * 4}</p>" for _ in range(6))}</article></body></html>"""
WAIT_SECONDS: Final = 240
# A proxy that is set for this machine does not lead to its loopback.
DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Failed(Exception):
    """A step that did not work, and why."""


class OnePage(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: object) -> None:
        """Silence: the steps are what this script prints."""


@contextmanager
def serve_page() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OnePage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_environment(folder: Path, origin_port: int) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
    chosen = {
        "KEPT_DATA_DIR": str(folder / "data"),
        "KEPT_FETCH_ALLOW": f"127.0.0.1/32:{origin_port}",
        "KEPT_FETCH_PORTS": f"80,443,{origin_port}",
        "KEPT_PORT": str(find_free_port()),
    }
    # Programs may come from KEPT_NODE and KEPT_CHROMIUM, everything else is the default.
    return others | chosen | {name: os.environ[name] for name in ("KEPT_NODE", "KEPT_CHROMIUM") if name in os.environ}


def run(kept: str, environment: dict[str, str], *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        [kept, *arguments], env=environment, input=stdin, capture_output=True, text=True, timeout=WAIT_SECONDS
    )
    if done.returncode:
        raise Failed(f"kept {' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


def ask(url: str, token: str = "", body: dict[str, Any] | None = None) -> Any:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    with DIRECT.open(urllib.request.Request(url, data, headers), timeout=30) as answer:  # noqa: S310
        return json.load(answer)


@contextmanager
def serve_kept(kept: str, environment: dict[str, str], folder: Path) -> Iterator[str]:
    url = f"http://127.0.0.1:{environment['KEPT_PORT']}"
    with (folder / "serve.log").open("w") as log:
        server = subprocess.Popen([kept, "serve"], env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_for("the server to be ready", lambda: server.poll() is not None or is_ready(url))
        if server.poll() is not None:
            raise Failed(f"kept serve ended with {server.returncode}")
        yield url
    finally:
        server.terminate()
        server.wait(timeout=60)


def is_ready(url: str) -> bool:
    try:
        ask(f"{url}/readyz")
    except OSError:
        return False
    return True


def wait_for(what: str, condition: Any) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.2)
    raise Failed(f"waited {WAIT_SECONDS} s for {what}")


def read_status(url: str, token: str, item_id: str) -> str | None:
    item = ask(f"{url}/api/v1/items/{item_id}", token)["data"]
    status = str(item["processing_status"])
    return status if status in {"ready_for_reading", "failed", "blocked", "invalid_url"} else None


def require_waiting(kept: str, environment: dict[str, str], url: str, token: str, item_id: str) -> None:
    """The page is neither given up nor forgotten, and doctor tells why."""
    done = subprocess.run(
        [kept, "doctor", "--json"], env=environment, capture_output=True, text=True, timeout=WAIT_SECONDS
    )
    [sidecar] = [finding for finding in json.loads(done.stdout) if finding["name"] == "sidecar"]
    if sidecar["state"] == "ok" or "Node" not in sidecar["message"] + (sidecar["advice"] or ""):
        raise Failed(f"doctor says of the sidecar: {sidecar}")
    wait_for("the job to be put back", lambda: count_waiting(kept, environment))
    if read_status(url, token, item_id) is not None:
        raise Failed("the page did not wait")


def count_waiting(kept: str, environment: dict[str, str]) -> int:
    queues = json.loads(run(kept, environment, "queue", "--json"))["queues"]
    return sum(int(queue["delayed"]) for queue in queues if queue["queue"] == "ingest")


def try_once(kept: str, folder: Path, *, has_node: bool) -> None:
    with serve_page() as origin_port:
        environment = make_environment(folder, origin_port)
        run(kept, environment, "user", "add", "ann", "--password-stdin", stdin="a long enough password\n")
        token = run(kept, environment, "token", "create", "--user", "ann", "--scopes", "read,write")
        print("account and token: made")
        with serve_kept(kept, environment, folder) as url:
            print("server: ready")
            item = ask(f"{url}/api/v1/items", token, {"url": f"http://127.0.0.1:{origin_port}/log"})["data"]
            if item["title"] != "The lighthouse log":
                raise Failed(f"the card has the title {item['title']!r}")
            print("save: answered with the title")
            if not has_node:
                require_waiting(kept, environment, url, token, item["id"])
                print("article: waits for Node")
                return
            status = wait_for("the article", lambda: read_status(url, token, item["id"]))
            if status != "ready_for_reading":
                raise Failed(f"the page is {status}")
            article = ask(f"{url}/api/v1/media/{item['media_id']}/fragments", token)
            if SENTENCE.strip() not in json.dumps(article):
                raise Failed("the article is not the page's")
            print("article: read")


def main() -> int:
    kept = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="kept-smoke-") as name:
        folder = Path(name)
        try:
            try_once(kept, folder, has_node="--without-node" not in sys.argv[2:])
        except (Failed, OSError, subprocess.SubprocessError, KeyError) as error:
            log = folder / "serve.log"
            print(log.read_text(errors="replace") if log.exists() else "", file=sys.stderr)
            print(f"NOT WORKING: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
