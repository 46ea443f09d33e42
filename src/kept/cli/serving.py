"""`kept serve`: the server, and the worker beside it."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kept.clock import utc_now
from kept.config import Settings, load_settings
from kept.domain.errors import OperatorError
from kept.version import __version__

if TYPE_CHECKING:
    import uvicorn

EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, not listened on


class CannotListen(OperatorError):
    """Kept cannot listen on this address."""


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [KEPT_HOST].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [KEPT_PORT].")] = None,
    worker: Annotated[bool, typer.Option(help="Run a worker too; --no-worker if it runs separately.")] = True,
) -> None:
    """Start Kept: the API, the web pages and a worker."""
    from kept.logs import set_up_logging

    given = {"host": host, "port": port}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    set_up_logging(settings.log_level, settings.log_format)
    run_server(settings, has_worker=worker and settings.executor == "local")


def run_server(settings: Settings, *, has_worker: bool) -> None:
    """Run the server until a signal tells it to stop."""
    from kept.asgi import create_app, create_server_config
    from kept.services.maintenance.schema import prepare_schema
    from kept.wiring.server import find_missing_for_articles

    prepare_schema(settings)
    listener = listen(settings.host, settings.port)
    show_where(settings, listener)
    missing = find_missing_for_articles(settings) if has_worker else None
    if missing:
        print(f"No articles can be made, so saved pages wait. {missing}", flush=True)
    config = create_server_config(create_app(settings), settings)
    leave_quietly_on_signals()
    gc.collect()
    gc.freeze()  # what the imports made stays: the collector need not look at it
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(serve_with_worker(config, listener, settings.drain_seconds if has_worker else None))


async def serve_with_worker(config: uvicorn.Config, listener: socket.socket, drain_seconds: float | None) -> None:
    """Serve, and run a worker whose jobs get `drain_seconds` at the end; with None there is no worker."""
    from kept.asgi import Server
    from kept.worker.supervisor import Supervisor

    if drain_seconds is None:
        await Server(config).serve(sockets=[listener])
        return
    supervisor = Supervisor(drain_seconds=drain_seconds)
    supervising = asyncio.create_task(supervisor.run())
    # The first signal goes on to the worker, so that both drain at the same time.
    await Server(config, on_signal=supervisor.stop).serve(sockets=[listener])
    supervisor.stop()
    await supervising


def leave_quietly_on_signals() -> None:
    """Ignore the signal that uvicorn raises again after draining: it must not count as a failure."""
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
    import structlog

    from kept.wiring.stores import SQLITE_VERSION

    log = structlog.get_logger("kept")
    url = settings.public_url or local_url(*listener.getsockname()[:2])
    log.info("kept.starting", version=__version__, sqlite=SQLITE_VERSION, data=str(settings.data_dir))
    print(f"Kept listens on {url}", flush=True)
    secret = asyncio.run(make_set_up_link(settings))
    if secret:
        hours = settings.limits.setup_link_hours
        print(f"First run: create your account within {hours} h at {url}/setup?token={secret}", flush=True)


async def make_set_up_link(settings: Settings) -> str | None:
    from kept.services.accounts.users import offer_set_up
    from kept.wiring.stores import open_database

    async with open_database(settings) as database:
        return await database.write(
            offer_set_up, valid_for=timedelta(hours=settings.limits.setup_link_hours), now=utc_now()
        )


def local_url(host: str, port: int) -> str:
    """Return the URL at which a browser on this machine finds a server that listens on `host`."""
    if host in EVERY_ADDRESS:
        return f"http://localhost:{port}"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
