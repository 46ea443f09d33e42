"""`kept worker`: a worker of its own, where `kept serve` does not run one."""

from typing import Annotated

import typer

from kept.config import load_settings
from kept.domain.errors import OperatorError
from kept.domain.job import Queue
from kept.services.maintenance.prepare_schema import prepare_schema
from kept.worker.main import choose_slots, run_worker


class NoSuchQueue(OperatorError):
    """There is no such queue."""

    exit_code = 2


def worker(
    queue: Annotated[str, typer.Option(help="Queues to work on, separated by commas.")] = ",".join(Queue),
    concurrency: Annotated[int | None, typer.Option(min=1, help="Jobs at once, in each of these queues.")] = None,
) -> None:
    """Run jobs until told to stop; then let those that run end first."""
    queues = parse_queues(queue)
    settings = load_settings()
    prepare_schema(settings)
    run_worker(settings, choose_slots(settings, queues, concurrency))


def parse_queues(text: str) -> list[Queue]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = set(Queue)
    if not names or not known.issuperset(names):
        raise NoSuchQueue(f"queues are {', '.join(Queue)}; '{text}' is not of them")
    return list(dict.fromkeys(Queue(name) for name in names))
