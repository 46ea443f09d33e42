"""`kept serve`: forks the worker, then imports and runs the server."""

import gc
from typing import Annotated

import typer

from kept.allocator import set_up_allocator
from kept.bootstrap import import_for_worker
from kept.config import Settings, load_settings
from kept.observability import set_up_logging
from kept.worker.forking import fork_worker
from kept.worker.supervisor import Supervisor


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on [KEPT_HOST].")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on [KEPT_PORT].")] = None,
    worker: Annotated[bool, typer.Option(help="Run a worker too; --no-worker if it runs separately.")] = True,
) -> None:
    """Start Kept: the API, the web pages and a worker."""
    given = {"host": host, "port": port}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    set_up_allocator()
    supervisor = create_supervisor(settings) if worker and settings.executor == "local" else None
    set_up_logging(settings.log_level, settings.log_format)
    gc.disable()  # it finds nothing in what imports make
    from kept.cli.serving import run_server

    gc.enable()
    run_server(settings, supervisor)


def create_supervisor(settings: Settings) -> Supervisor:
    """With a worker that waits until the server is ready."""
    gc.disable()
    import_for_worker()
    gc.freeze()  # or the collector writes to what the two share
    gc.enable()
    return Supervisor(drain_seconds=settings.drain_seconds, first=fork_worker(settings))
