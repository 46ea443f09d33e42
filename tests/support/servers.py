"""Real servers for tests, on free loopback ports, in temporary folders, ended by their process id."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool], *, seconds: float = 20, what: str = "the condition") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {seconds} s")
        time.sleep(0.02)


def accepts_connections(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def answers_queries(port: int) -> bool:
    """A PostgreSQL that is starting up takes connections already, and refuses them."""
    with contextlib.suppress(psycopg.OperationalError):
        psycopg.connect(f"postgresql://kept@127.0.0.1:{port}/postgres", connect_timeout=2).close()
        return True
    return False


def find_postgres_programs() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def postgres_account() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"


@contextlib.contextmanager
def run_postgres() -> Iterator[str]:
    """Yields the address of a fresh server, without a database name."""
    programs = find_postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL IS NOT INSTALLED: this is not tested on it")
    folder, port, account = Path(tempfile.mkdtemp(prefix="kept-pg-")), free_port(), postgres_account()
    if account:
        shutil.chown(folder, account)
    data = folder / "data"
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "kept", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"],
        check=True,
        capture_output=True,
        user=account,
    )
    options = [f"port={port}", f"unix_socket_directories={folder}", "fsync=off", "listen_addresses=127.0.0.1"]
    arguments = [argument for option in options for argument in ("-c", option)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([programs / "postgres", "-D", data, *arguments], stdout=log, stderr=log, user=account)
    try:
        wait_until(lambda: answers_queries(port), what="PostgreSQL")
        yield f"postgresql://kept@127.0.0.1:{port}"
    finally:
        server.terminate()  # SIGTERM waits for clients
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(3)
        server.send_signal(3)  # SIGQUIT does not
        server.wait(10)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def run_redis() -> Iterator[str]:
    if shutil.which("redis-server") is None:
        pytest.skip("Redis IS NOT INSTALLED: this is not tested with it")
    port = free_port()
    arguments = ["--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
    server = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: accepts_connections(port), what="Redis")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.kill()
        server.wait()
