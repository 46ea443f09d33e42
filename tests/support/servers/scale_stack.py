"""compose.scale.yaml as containers of podman: PostgreSQL, Redis and HAProxy from Debian's packages, two API containers,
two workers and a render worker from our own images, and a small S3 server of the test.

All share the machine's network. So each API container has a loopback address of its own, and the name `api`, under
which Docker's name server lists the containers, is known to a name server beside the proxy.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from support.servers.containers import REPOSITORY, Store
from support.servers.local_servers import accepts_connections, free_port, own_bucket, wait_until
from support.servers.origin import Origin
from support.servers.serving import Person

API_ADDRESSES: Final = ("127.0.0.41", "127.0.0.42")
PASSWORD: Final = "a-password-of-the-test"
# Debian's PostgreSQL, on a new cluster that nobody needs afterwards.
POSTGRESQL: Final = (
    "cd /tmp && echo {password} > /tmp/pw && bin=$(echo /usr/lib/postgresql/*/bin)"
    " && $bin/initdb -D /tmp/data -U kept --auth=scram-sha-256 --pwfile=/tmp/pw -E UTF8 --locale=C.UTF-8 >&2"
    " && exec $bin/postgres -D /tmp/data -c port={port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=/tmp"
)
CELERY: Final = ("celery", "-A", "kept.worker.celery_app", "worker", "-c", "1")


@dataclass
class ScaleStack:
    store: Store
    folder: Path
    api_port: int
    proxy_port: int
    variables: dict[str, str]
    containers: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.proxy_port}"

    def start_api(self, number: int, image: str) -> None:
        where = {"KEPT_HOST": API_ADDRESSES[number], "KEPT_PORT": str(self.api_port)}
        self.start(f"api-{number}", image, **where)

    def start_worker(self, number: int, image: str) -> None:
        self.start(f"worker-{number}", image, *CELERY, "-Q", "ingest", "-n", f"worker-{number}@%h")

    def start_render(self, image: str) -> None:
        self.start("render", image, *CELERY, "-Q", "render", "-n", "render@%h")

    def start(self, name: str, image: str, *command: str, **others: str) -> None:
        variables = self.variables | others
        self.containers[name] = self.store.start(image, f"{self.folder.name}-{name}", *command, **variables)

    def replace_api(self, number: int, image: str) -> None:
        """As `docker compose up` does with a new image: told to stop, then a new one in its place."""
        self.remove(f"api-{number}")
        self.start_api(number, image)

    def remove(self, name: str) -> None:
        self.store.podman("rm", "--force", "--time", "60", self.containers.pop(name), seconds=180)

    def migrate(self, image: str) -> None:
        self.store.run(image, f"{self.folder.name}-migrate", "kept", "migrate", **self.variables)

    def add_person(self) -> Person:
        return self.store.add_person(self.containers["api-0"], self.address)

    def is_serving(self, number: int) -> bool:
        return accepts_connections(self.api_port, API_ADDRESSES[number])


@contextlib.contextmanager
def run_parts(store: Store, folder: Path, origin: Origin, **variables: str) -> Iterator[ScaleStack]:
    """What is not ours runs, and the database is empty; no Kept has been started."""
    postgres_port, redis_port = free_port(), free_port()
    with own_bucket() as bucket:
        chosen = read_compose_environment() | {
            "KEPT_DATABASE_URL": f"postgresql://kept:{PASSWORD}@127.0.0.1:{postgres_port}/kept",
            "KEPT_BROKER_URL": f"redis://:{PASSWORD}@127.0.0.1:{redis_port}/0",
            "KEPT_RATE_LIMIT_STORAGE_URL": f"redis://:{PASSWORD}@127.0.0.1:{redis_port}/1",
            "KEPT_FETCH_ALLOW": origin.allowance,
            "KEPT_FETCH_PORTS": f"80,{origin.port}",
            "KEPT_TRUSTED_PROXIES": "127.0.0.0/8",
            "KEPT_SAVE_RATE": "10000/minute",
        }
        stack = ScaleStack(store, folder, free_port(), free_port(), chosen | bucket.variables | variables)
        try:
            start_postgres(stack, postgres_port)
            start_redis(stack, redis_port)
            start_proxy(stack)
            yield stack
        finally:
            for container in stack.containers.values():
                store.podman("rm", "--force", "--time", "5", container)


def read_compose_environment() -> dict[str, str]:
    """What compose.scale.yaml says, but for addresses and passwords."""
    compose = yaml.safe_load((REPOSITORY / "compose.scale.yaml").read_text())
    said: dict[str, Any] = compose["services"]["worker"]["environment"]
    return {name: value for name, value in said.items() if "${" not in value}


def start_postgres(stack: ScaleStack, port: int) -> None:
    image = stack.store.install("postgresql")
    script = POSTGRESQL.format(port=port, password=PASSWORD)
    stack.containers["postgres"] = stack.store.start_plain(image, ["--user", "postgres"], "sh", "-c", script)
    wait_until(lambda: accepts_connections(port), seconds=60, what="PostgreSQL")
    create = f"PGPASSWORD={PASSWORD} createdb -h 127.0.0.1 -p {port} -U kept kept"
    stack.store.podman("exec", stack.containers["postgres"], "sh", "-c", create)


def start_redis(stack: ScaleStack, port: int) -> None:
    image = stack.store.install("redis-server")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    command = ["redis-server", *options, "--requirepass", PASSWORD]
    stack.containers["redis"] = stack.store.start_plain(image, ["--user", "redis"], *command)
    wait_until(lambda: accepts_connections(port), what="Redis")


def start_proxy(stack: ScaleStack) -> None:
    """haproxy.cfg as it is, but for ports and the name server."""
    name_port = free_port()
    start_name_server(stack, name_port)
    said = (REPOSITORY / "docker" / "haproxy.cfg").read_text()
    said = said.replace("bind :8484", f"bind 127.0.0.1:{stack.proxy_port}").replace("api:8484", f"api:{stack.api_port}")
    file = stack.folder / "haproxy.cfg"
    file.write_text(said.replace("127.0.0.11:53", f"127.0.0.1:{name_port}"))
    os.chmod(file, 0o644)
    options = ["--user", "haproxy", "--volume", f"{file}:/haproxy.cfg:ro"]
    command = ["haproxy", "-W", "-db", "-f", "/haproxy.cfg"]
    stack.containers["proxy"] = stack.store.start_plain(stack.store.install("haproxy"), options, *command)
    wait_until(lambda: accepts_connections(stack.proxy_port), seconds=60, what="the proxy")


def start_name_server(stack: ScaleStack, port: int) -> None:
    """It goes on naming a container that has stopped: Docker's would not, and gives the proxy less to do."""
    records = [f"--host-record=api,{address}" for address in API_ADDRESSES]
    command = ["dnsmasq", "--no-daemon", "--no-resolv", "--no-hosts", f"--port={port}", "--listen-address=127.0.0.1"]
    image = stack.store.install("dnsmasq-base")
    stack.containers["names"] = stack.store.start_plain(image, [], *command, "--bind-interfaces", *records)
