"""`kept serve`: the server."""

import asyncio
import signal
import socket
import sqlite3
from datetime import timedelta
from typing import Annotated

import structlog
import typer
import uvicorn

from kept.asgi import create_app
from kept.config import Settings, load_settings
from kept.domain.errors import OperatorError
from kept.observability import set_up_logging
from kept.services.set_up import offer_set_up
from kept.storage import schema
from kept.storage.columns import utc_now
from kept.storage.database import Database
from kept.version import __version__

log = structlog.get_logger("kept")


class CannotListen(OperatorError):
    """The address cannot be listened on."""


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [KEPT_HOST].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [KEPT_PORT].")] = None,
) -> None:
    """Start Kept: the API and the web pages."""
    given = {"host": host, "port": port}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    set_up_logging(settings.log_level, settings.log_format)
    prepare_database(settings)
    listener = listen(settings.host, settings.port)
    announce(settings, listener)
    config = uvicorn.Config(
        create_app(settings),
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=10,
    )
    leave_quietly_on_signals()
    uvicorn.Server(config).run(sockets=[listener])


def leave_quietly_on_signals() -> None:
    """uvicorn drains on a signal and then raises it again; by then the work is done, and that was no failure."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)


def prepare_database(settings: Settings) -> None:
    if settings.auto_migrate:
        schema.migrate(settings.sqlalchemy_url)
        return
    state = schema.read_schema_state(settings.sqlalchemy_url)
    if state is schema.SchemaState.NEWER:
        raise schema.SchemaTooNew
    if state is not schema.SchemaState.CURRENT:
        raise schema.SchemaTooOld


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}:{port}: {error.strerror}") from None
    listener.set_inheritable(True)
    return listener


def announce(settings: Settings, listener: socket.socket) -> None:
    host, port = listener.getsockname()[:2]
    address = settings.public_url or f"http://{f'[{host}]' if ':' in host else host}:{port}"
    log.info("kept.starting", version=__version__, sqlite=sqlite3.sqlite_version, data=str(settings.data_dir))
    print(f"Kept listens on {address}", flush=True)
    secret = asyncio.run(make_set_up_link(settings))
    if secret:
        hours = settings.setup_link_hours
        print(f"First run: make your account within {hours} h at {address}/setup?token={secret}", flush=True)


async def make_set_up_link(settings: Settings) -> str | None:
    database = Database(settings.sqlalchemy_url)
    try:
        return await offer_set_up(database, valid_for=timedelta(hours=settings.setup_link_hours), now=utc_now())
    finally:
        await database.close()
