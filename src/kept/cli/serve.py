"""`kept serve`: its options. Without any, `main` starts the server by itself."""

from typing import Annotated

import typer

from kept.cli.start_server import start_server
from kept.config import load_settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [KEPT_HOST].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [KEPT_PORT].")] = None,
    worker: Annotated[bool, typer.Option(help="Run a worker too; --no-worker if it runs separately.")] = True,
) -> None:
    """Start Kept: the API, the web pages and a worker."""
    given = {"host": host, "port": port}
    start_server(load_settings(**{name: value for name, value in given.items() if value is not None}), worker=worker)
