"""The queue in numbers, for operators: how many jobs are in which state, for which hosts, and what failed last."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from kept.domain.job import JobKind, Queue


class JobState(StrEnum):
    IN_FLIGHT = "in_flight"
    DUE = "due"
    WAITING = "waiting"  # in the queue of its host
    DELAYED = "delayed"  # not due yet


@dataclass(frozen=True, slots=True)
class Depth:
    queue: Queue
    kind: JobKind
    state: JobState
    jobs: int
    oldest_run_at: datetime


@dataclass(frozen=True, slots=True)
class HostDepth:
    host: str
    jobs: int


@dataclass(frozen=True, slots=True)
class LastFailure:
    media_id: str
    code: str
    message: str
    failed_at: datetime


@dataclass(frozen=True, slots=True)
class QueueReport:
    depths: list[Depth]
    hosts: list[HostDepth]
    last_failures: list[LastFailure]


def find_oldest_due(depths: Sequence[Depth], queue: Queue) -> datetime | None:
    """Since when the job that waits longest could have run, but for free slots and its host's turn."""
    late = (JobState.DUE, JobState.WAITING)
    return min((depth.oldest_run_at for depth in depths if depth.queue is queue and depth.state in late), default=None)


def count_states(depths: Sequence[Depth]) -> Counter[JobState]:
    counted: Counter[JobState] = Counter()
    for depth in depths:
        counted[depth.state] += depth.jobs
    return counted
