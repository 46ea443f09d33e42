"""The server that `kept serve` runs, with all that it alone needs. Imported once its worker is forked."""

import asyncio
import gc
import signal
import socket
from datetime import timedelta
from types import FrameType

import structlog
import uvicorn

from kept.asgi import Server, create_app, create_server_config
from kept.bootstrap import SQLITE_VERSION, find_missing_for_articles, open_database
from kept.cli.local_url import local_url
from kept.clock import utc_now
from kept.config import Settings
from kept.domain.errors import OperatorError
from kept.services.accounts.users import offer_set_up
from kept.services.maintenance.schema import prepare_schema
from kept.version import __version__
from kept.worker.supervisor import Supervisor

log = structlog.get_logger("kept")


class CannotListen(OperatorError):
    """Kept cannot listen on this address."""


def run_server(settings: Settings, supervisor: Supervisor | None) -> None:
    """Until a signal tells it to stop; with its worker, if it has a supervisor."""
    prepare_schema(settings)
    listener = listen(settings.host, settings.port)
    show_where(settings, listener)
    missing = find_missing_for_articles(settings) if supervisor else None
    if missing:
        print(f"No articles can be made, so saved pages wait. {missing}", flush=True)
    config = create_server_config(create_app(settings), settings)
    leave_quietly_on_signals()
    gc.collect()
    gc.freeze()  # what the imports made never goes: no need to look at it again
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(serve_with_worker(config, listener, supervisor))


class SupervisingServer(Server):
    """Passes the first signal on to the worker, so that both drain at the same time."""

    def __init__(self, config: uvicorn.Config, supervisor: Supervisor) -> None:
        super().__init__(config)
        self.supervisor = supervisor

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.supervisor.stop()
        super().handle_exit(sig, frame)


async def serve_with_worker(config: uvicorn.Config, listener: socket.socket, supervisor: Supervisor | None) -> None:
    if supervisor is None:
        await Server(config).serve(sockets=[listener])
        return
    supervising = asyncio.create_task(supervisor.run())
    await SupervisingServer(config, supervisor).serve(sockets=[listener])
    supervisor.stop()
    await supervising


def leave_quietly_on_signals() -> None:
    """uvicorn drains on a signal and then raises it again, which must not count as a failure."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        # asyncio sends at once (TCP_NODELAY) only on sockets that name their protocol; an answer took 40 ms more.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror}") from None
    listener.set_inheritable(True)
    return listener


def show_where(settings: Settings, listener: socket.socket) -> None:
    url = settings.public_url or local_url(*listener.getsockname()[:2])
    log.info("kept.starting", version=__version__, sqlite=SQLITE_VERSION, data=str(settings.data_dir))
    print(f"Kept listens on {url}", flush=True)
    secret = asyncio.run(make_set_up_link(settings))
    if secret:
        hours = settings.limits.setup_link_hours
        print(f"First run: create your account within {hours} h at {url}/setup?token={secret}", flush=True)


async def make_set_up_link(settings: Settings) -> str | None:
    async with open_database(settings) as database:
        return await offer_set_up(database, valid_for=timedelta(hours=settings.limits.setup_link_hours), now=utc_now())
