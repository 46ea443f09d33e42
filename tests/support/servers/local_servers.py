"""Real servers for tests, on free loopback ports, in temporary folders, ended by their process id."""

import contextlib
import logging
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest


def free_port() -> int:
    """Below those that the system gives to whoever asks for any: another test would get it before its server starts."""
    while True:
        with socket.socket() as found, contextlib.suppress(OSError):
            found.bind(("127.0.0.1", random.SystemRandom().randint(10_000, 32_000)))
            return int(found.getsockname()[1])


def wait_until(condition: Callable[[], bool], *, seconds: float = 20, what: str = "the condition") -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {seconds} s")
        time.sleep(0.02)


def accepts_connections(port: int, host: str = "127.0.0.1") -> bool:
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=1):
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


class Postgres:
    """A PostgreSQL server of our own, that can be killed and started again on the same data, or on data kept there."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder, self.port, self.account = programs, folder, free_port(), postgres_account()
        self.address = f"postgresql://kept@127.0.0.1:{self.port}"
        self.data = folder / "data"
        if self.account:
            shutil.chown(folder, self.account)
        if not self.data.exists():
            self.make_data()

    def make_data(self) -> None:
        options = ["-U", "kept", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]
        command: list[str | Path] = [self.programs / "initdb", "-D", self.data, *options]
        subprocess.run(command, check=True, capture_output=True, user=self.account)

    def start(self) -> None:
        options = [f"port={self.port}", f"unix_socket_directories={self.folder}", "fsync=off"]
        options.append("listen_addresses=127.0.0.1")
        arguments = [argument for option in options for argument in ("-c", option)]
        with (self.folder / "log").open("ab") as log:
            command = [str(self.programs / "postgres"), "-D", str(self.data), *arguments]
            self.server = subprocess.Popen(command, stdout=log, stderr=log, user=self.account)
        wait_until(self.is_ready, seconds=60, what="PostgreSQL")

    def is_ready(self) -> bool:
        """It accepts connections before it can serve them."""
        command = [str(self.programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command).returncode == 0

    def read_log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def kill(self) -> None:
        """As in a crash: the server and its backends are gone; the next start recovers."""
        self.server.send_signal(signal.SIGQUIT)
        self.server.wait(20)

    def kill_hard(self) -> bool:
        """With SIGKILL, the server and every process of it: as when the memory ran out, or the power."""
        family = [self.server.pid, *(child.pid for child in psutil.Process(self.server.pid).children(recursive=True))]
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.server.wait(20)
        wait_until(lambda: not any(map(is_running, family)), what="PostgreSQL's end")
        return True


@contextlib.contextmanager
def own_postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="kept-pg-"))
    try:
        with kept_postgres(folder) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def kept_postgres(folder: Path) -> Iterator[Postgres]:
    """One whose data stays in the folder."""
    programs = find_postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL IS NOT INSTALLED: this is not tested on it")
    server = Postgres(programs, folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def run_postgres() -> Iterator[str]:
    """Yields the address of a fresh server, without a database name."""
    with own_postgres() as server:
        yield server.address


def is_running(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


class Redis:
    """A Redis of our own that keeps nothing: killed, it forgets every message."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        self.server = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
        wait_until(lambda: accepts_connections(self.port), what="Redis")

    def kill(self) -> bool:
        self.server.kill()
        self.server.wait()
        return True


@contextlib.contextmanager
def own_redis() -> Iterator[Redis]:
    if shutil.which("redis-server") is None:
        pytest.skip("Redis IS NOT INSTALLED: this is not tested with it")
    server = Redis()
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def run_redis() -> Iterator[str]:
    with own_redis() as server:
        yield server.url


class Bucket:
    """A bucket of its own on a small S3 server, that can go away and come back with all that was in it."""

    def __init__(self, name: str = "kept", port: int | None = None) -> None:
        self.name, self.port = name, port or free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"

    @property
    def variables(self) -> dict[str, str]:
        return {
            "KEPT_BLOB_URL": f"s3://{self.name}/some/prefix",
            "KEPT_S3_ENDPOINT": self.endpoint,
            "KEPT_S3_ACCESS_KEY_ID": "test",
            "KEPT_S3_SECRET_ACCESS_KEY": "test",
        }

    @property
    def client(self) -> Any:
        import boto3

        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        return boto3.client("s3", endpoint_url=self.endpoint, region_name="us-east-1", **keys)

    def list_keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())]

    def start(self) -> None:
        from moto.server import ThreadedMotoServer

        self.server = ThreadedMotoServer("127.0.0.1", port=self.port, verbose=False)
        self.server.start()

    def stop(self) -> None:
        """Connections are refused from now on. What was stored is this process's, not the server's."""
        self.server.stop()
        assert self.server._server is not None
        self.server._server.server_close()


@contextlib.contextmanager
def own_bucket() -> Iterator[Bucket]:
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    bucket = Bucket()
    bucket.start()
    try:
        bucket.client.create_bucket(Bucket=bucket.name)
        yield bucket
    finally:
        bucket.stop()


RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


@contextlib.contextmanager
def run_rabbitmq() -> Iterator[str]:
    if not RABBITMQ.exists():
        pytest.skip("RabbitMQ IS NOT INSTALLED: this is not tested with it")
    folder, port, names_port = Path(tempfile.mkdtemp(prefix="kept-rabbit-")), free_port(), free_port()
    account = "rabbitmq" if os.geteuid() == 0 else None
    if account:
        shutil.chown(folder, account)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ERL_EPMD_PORT": str(names_port),
        "RABBITMQ_NODENAME": f"kept{port}@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(folder),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
    }
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [str(RABBITMQ)], env=environment, user=account, start_new_session=True, stdout=log, stderr=log
        )
    try:
        wait_until(lambda: accepts_connections(port), seconds=90, what="RabbitMQ")
        yield f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        # Erlang leaves a name server behind
        subprocess.run(["epmd", "-port", str(names_port), "-kill"], env=environment, user=account, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
