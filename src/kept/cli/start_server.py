"""What `kept serve` does, whoever read its options: forks the worker, then imports and runs the server."""

import gc
import sys

from kept.allocator import set_up_allocator
from kept.bootstrap import import_for_worker
from kept.config import Settings
from kept.observability import set_up_logging
from kept.worker.forking import fork_worker
from kept.worker.supervisor import Supervisor


def start_server(settings: Settings, *, worker: bool = True) -> None:
    set_up_allocator()
    supervisor = create_supervisor(settings) if worker and settings.executor == "local" else None
    set_up_logging(settings.log_level, settings.log_format)
    gc.disable()  # it finds nothing in what imports make
    leave_out_old_pydantic()
    from kept.cli.serving import run_server

    gc.enable()
    run_server(settings, supervisor)


def leave_out_old_pydantic() -> None:
    """FastAPI imports it to refuse its models, of which Kept has none, and does without where it is not there: 2 MB."""
    sys.modules["pydantic.v1"] = None  # type: ignore[assignment] # as if it were not installed


def create_supervisor(settings: Settings) -> Supervisor:
    """With a worker that waits until the server is ready."""
    gc.disable()
    import_for_worker()
    gc.freeze()  # or the collector writes to what the two share
    gc.enable()
    return Supervisor(drain_seconds=settings.drain_seconds, first=fork_worker(settings))
