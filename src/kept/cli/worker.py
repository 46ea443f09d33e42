"""`kept worker`: runs jobs, as a separate process or beside the server that starts it."""

from typing import Annotated

import typer

from kept.config import load_settings
from kept.domain.errors import OperatorError
from kept.domain.job import Queue


class NoSuchQueue(OperatorError):
    """There is no such queue."""

    exit_code = 2


def worker(
    queue: Annotated[str, typer.Option(help="Queues to work on, comma-separated.")] = ",".join(Queue),
    concurrency: Annotated[int | None, typer.Option(min=1, help="Concurrent jobs in each of these queues.")] = None,
    child_of: Annotated[int | None, typer.Option(hidden=True, help="The server that starts this worker.")] = None,
) -> None:
    """Run jobs until stopped by a signal; running jobs are finished first."""
    from kept.services.maintenance.schema import prepare_schema
    from kept.worker.main import choose_slots, follow_server, run_worker

    queues = parse_queues(queue)
    settings = load_settings()
    if child_of is None:
        prepare_schema(settings)
    else:
        follow_server(child_of)  # the server has prepared the schema
    run_worker(settings, choose_slots(settings, queues, concurrency))


def parse_queues(text: str) -> list[Queue]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = set(Queue)
    if not names or not known.issuperset(names):
        raise NoSuchQueue(f"unknown queue '{text}'; choose from {', '.join(Queue)}")
    return list(dict.fromkeys(Queue(name) for name in names))
