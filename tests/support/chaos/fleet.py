"""Kept as people run it, in processes of its own: server, workers, database, broker. Any of them can be killed.

Whatever dies is started again, as systemd or Docker would. Every process of a fleet, however deep, carries the fleet's
folder in its environment or its command line: so none can hide.
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import psutil
from pydantic import SecretStr

from kept.config import Settings
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from kept.worker.main import NAME
from support.fixtures.databases import create_database
from support.servers.local_servers import (
    Bucket,
    Postgres,
    Redis,
    free_port,
    own_bucket,
    own_postgres,
    own_redis,
    wait_until,
)
from support.servers.origin import Origin

KEPT: Final = Path(sys.executable).with_name("kept")
REVIVE_SECONDS: Final = 0.2
WORKER_NAME: Final = NAME.decode()


class Mode(StrEnum):
    SQLITE = "local, SQLite"
    POSTGRES = "local, PostgreSQL"
    CELERY = "Celery, Redis, PostgreSQL"


class Victim(StrEnum):
    """Who can be killed: a process of ours, or a server that we use."""

    SERVER = "server"
    WORKER = "worker"
    EXTRACTOR = "extractor"
    SIDECAR = "sidecar"
    BROWSER = "browser"
    DATABASE = "PostgreSQL"
    BROKER = "Redis"


# Told by what their command lines hold.
SIGNS: Final = {
    Victim.EXTRACTOR: ("kept.subprocesses.workers extraction",),
    Victim.SIDECAR: ("readability.bundle.cjs",),
    Victim.BROWSER: ("chromium", "kept.fetch.browser.visitor", "playwright"),
}

QUICK: Final = {
    "KEPT_LEASE_SECONDS": "2",
    "KEPT_RETRY_BACKOFF_BASE": "0.1",
    "KEPT_HOST_GAP_SECONDS": "0.02",
    "KEPT_SAVE_RATE": "1000000/minute",
    "KEPT_LOG_LEVEL": "warning",
    "KEPT_LOG_FORMAT": "json",
}


@dataclass(frozen=True)
class Shape:
    """How many of each there are. With no worker of its own, the server keeps one, as it does for most people."""

    servers: int = 1
    workers: int = 1
    on_s3: bool = False


@dataclass
class Fleet:
    mode: Mode
    folder: Path
    variables: dict[str, str]
    shape: Shape
    ports: list[int]
    postgres: Postgres | None = None
    redis: Redis | None = None
    bucket: Bucket | None = None
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return self.addresses[0]

    @property
    def addresses(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    @property
    def settings(self) -> Settings:
        """As far as this process needs them: where the database is."""
        url = self.variables.get("KEPT_DATABASE_URL")
        return Settings(data_dir=Path(self.variables["KEPT_DATA_DIR"]), database_url=SecretStr(url) if url else None)

    @property
    def commands(self) -> dict[str, list[str]]:
        serve = [str(KEPT), "serve", *(["--no-worker"] if self.mode is Mode.CELERY else [])]
        commands = {numbered("server", n): [*serve, "--port", str(port)] for n, port in enumerate(self.ports, 1)}
        for number in range(1, self.shape.workers + 1):
            name = numbered("worker", number)
            commands[name] = celery("ingest", name, children=1) if self.mode is Mode.CELERY else [str(KEPT), "worker"]
        if self.mode is Mode.CELERY:
            commands["render-worker"] = celery("render", "render-worker", children=1)
        return commands

    # --- starting and stopping

    def start(self, name: str) -> None:
        """In a session of its own: what we kill is that process, and nobody else by way of its group."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                self.commands[name],
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KEPT_")}
        return clean | self.variables | {"TMPDIR": str(self.folder)}

    def start_all(self) -> None:
        for name in self.commands:
            self.start(name)
        wait_until(self.has_started, seconds=60, what="the server")

    def has_started(self) -> bool:
        ended = [name for name, process in self.running.items() if process.poll() is not None]
        assert not ended, f"{ended[0]} ended: {(self.folder / f'{ended[0]}.log').read_text()[-500:]}"
        return self.answers()

    def answers(self) -> bool:
        return all(map(is_alive, self.addresses))

    async def revive(self) -> None:
        """For ever: start what is no longer running."""
        while True:
            for name, process in list(self.running.items()):
                if process.poll() is not None:
                    self.start(name)
            await asyncio.sleep(REVIVE_SECONDS)

    def restart(self, name: str) -> None:
        """As an operator would for a new version: asked to stop, waited for, started. Not while `revive` watches."""
        self.running[name].terminate()
        self.running[name].wait(40)
        self.start(name)

    def stop_all(self) -> None:
        """As an operator would; whoever does not heed is killed."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    # --- killing

    def kill(self, victim: Victim, dice: random.Random) -> bool:
        """With SIGKILL. False if there is no such process just now."""
        match victim:
            case Victim.DATABASE:
                return self.postgres is not None and self.postgres.kill_hard()
            case Victim.BROKER:
                return self.redis is not None and self.redis.kill()
            case Victim.SERVER:
                return send_kill(self.running["server"].pid)
            case Victim.WORKER:
                pids = self.find_workers()
            case _:
                pids = [pid for pid, command in self.list_processes() if any(sign in command for sign in SIGNS[victim])]
        return bool(pids) and send_kill(dice.choice(sorted(pids)))

    def find_workers(self) -> list[int]:
        """Those we started, the server's own, and Celery's children."""
        started = [process.pid for name, process in self.running.items() if "worker" in name]
        celery = [pid for pid, command in self.list_processes() if "celery" in command]
        return started + self.find_supervised_workers() + celery

    def find_supervised_workers(self) -> list[int]:
        """The server's own."""
        return [pid for pid, _ in self.list_processes() if name_of(pid) == WORKER_NAME]

    def start_again(self, victim: Victim) -> None:
        if victim is Victim.DATABASE and self.postgres is not None:
            self.postgres.start()
        if victim is Victim.BROKER and self.redis is not None:
            self.redis.start()

    # --- looking

    def list_processes(self) -> list[tuple[int, str]]:
        """Every living process of the fleet with its command line."""
        return [(pid, command) for pid, command in living_processes() if self.owns(pid, command)]

    def owns(self, pid: int, command: str) -> bool:
        mark = str(self.folder)
        with contextlib.suppress(OSError):
            return mark in command or mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        return False

    def find_orphans(self) -> list[str]:
        """Processes of the fleet that nobody who runs is responsible for."""
        rooted: set[int] = set()
        for process in self.running.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                root = psutil.Process(process.pid)
                rooted |= {root.pid, *(child.pid for child in root.children(recursive=True))}
        return [f"{pid} {command[:100]}" for pid, command in self.list_processes() if pid not in rooted]

    def read_errors(self) -> list[dict[str, Any]]:
        """What the fleet logged as an error: crashes of ours, not outages."""
        return [line for line in self.read_log() if line.get("level") in {"error", "critical"}]

    def read_log(self, names: str = "*") -> Iterator[dict[str, Any]]:
        for path in sorted(self.folder.glob(f"{names}.log")):
            for text in path.read_text(errors="replace").splitlines():
                with contextlib.suppress(json.JSONDecodeError):
                    line = json.loads(text)
                    if isinstance(line, dict):
                        yield line


def name_of(pid: int) -> str:
    """As `ps` shows it without its arguments; nothing if the process is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def celery(queue: str, name: str, *, children: int) -> list[str]:
    program = [sys.executable, "-m", "celery", "-A", "kept.worker.celery_app", "worker", "--without-mingle"]
    return [*program, "-Q", queue, "-c", str(children), "-n", f"{name}@%h"]


def is_alive(address: str) -> bool:
    with contextlib.suppress(OSError):
        return bool(urllib.request.urlopen(f"{address}/healthz", timeout=2).status == 200)
    return False


def living_processes() -> Iterator[tuple[int, str]]:
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with contextlib.suppress(OSError):
                command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if command:  # a zombie has none
                    yield int(path.name), command


def send_kill(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


ONE_OF_EACH: Final = Shape()


@contextmanager
def prepare_fleet(mode: Mode, origin: Origin, shape: Shape = ONE_OF_EACH, **variables: str) -> Iterator[Fleet]:
    """A fleet that may fetch from `origin`, with an empty database; nothing of ours runs yet."""
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="kept-chaos-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        reaching = {"KEPT_FETCH_ALLOW": origin.allowance, "KEPT_FETCH_PORTS": f"80,{origin.port}"}
        chosen = QUICK | reaching | {"KEPT_DATA_DIR": str(folder / "data")} | variables
        fleet = Fleet(mode, folder, chosen, shape, [free_port() for _ in range(shape.servers)])
        if mode is not Mode.SQLITE:
            fleet.postgres = stack.enter_context(own_postgres())
            create_database(fleet.postgres.address, "kept")
            chosen["KEPT_DATABASE_URL"] = f"{fleet.postgres.address}/kept"
        if mode is Mode.CELERY:
            fleet.redis = stack.enter_context(own_redis())
            chosen |= {"KEPT_EXECUTOR": "celery", "KEPT_BROKER_URL": fleet.redis.url}
            chosen |= {"KEPT_RATE_LIMIT_STORAGE_URL": fleet.redis.url}
        if shape.on_s3:
            fleet.bucket = stack.enter_context(own_bucket())
            chosen |= fleet.bucket.variables
        migrate(fleet.settings.sqlalchemy_url)
        yield fleet


@asynccontextmanager
async def run_fleet(fleet: Fleet) -> AsyncIterator[Database]:
    """Everything runs, and is started again when it dies. Yields a view of the fleet's database."""
    database = Database(fleet.settings.sqlalchemy_url)
    try:
        await asyncio.to_thread(fleet.start_all)
        yield database
    finally:
        await database.close()
        await asyncio.to_thread(fleet.stop_all)


@asynccontextmanager
async def reviving(fleet: Fleet) -> AsyncIterator[None]:
    keeper = asyncio.create_task(fleet.revive())
    try:
        yield
    finally:
        keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper
