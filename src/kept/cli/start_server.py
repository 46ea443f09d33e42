"""What `kept serve` does, whoever read its options."""

import gc
import sys

from kept.config import Settings
from kept.observability import set_up_logging
from kept.worker.supervisor import Supervisor


def start_server(settings: Settings, *, worker: bool = True) -> None:
    has_worker = worker and settings.executor == "local"
    supervisor = Supervisor(drain_seconds=settings.drain_seconds) if has_worker else None
    set_up_logging(settings.log_level, settings.log_format)
    gc.disable()  # it finds nothing in what imports make
    leave_out_old_pydantic()
    from kept.cli.serving import run_server

    gc.enable()
    run_server(settings, supervisor)


def leave_out_old_pydantic() -> None:
    """FastAPI imports it to refuse its models, of which Kept has none, and does without where it is not there: 2 MB."""
    sys.modules["pydantic.v1"] = None  # type: ignore[assignment] # as if it were not installed
