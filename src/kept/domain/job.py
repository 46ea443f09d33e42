"""What a job is: its kinds, its queues, how urgent it is, and what a worker holds while it runs one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Final
from uuid import UUID

from kept.domain.attempt import AttemptRecord


class JobKind(StrEnum):
    INGEST = "ingest"
    RENDER = "render"
    STORE_IMAGES = "store_images"
    IMPORT = "import"
    ANCHOR_HIGHLIGHTS = "anchor_highlights"
    CAPTURE = "capture"


class Queue(StrEnum):
    """The workers that can run a job: `render` needs a browser, `ingest` does not."""

    INGEST = "ingest"
    RENDER = "render"


QUEUE_OF: Final = {
    JobKind.INGEST: Queue.INGEST,
    JobKind.RENDER: Queue.RENDER,
    JobKind.STORE_IMAGES: Queue.INGEST,
    JobKind.IMPORT: Queue.INGEST,
    JobKind.ANCHOR_HIGHLIGHTS: Queue.INGEST,
    JobKind.CAPTURE: Queue.RENDER,
}


class Priority(IntEnum):
    """The priority of a job; lower numbers go first."""

    PERSON = 0
    IMPORT = 10


@dataclass(frozen=True, slots=True)
class NewJob:
    """Work to be done for one subject; its queue follows from its kind.

    `host` is the site it must fetch from; None if it fetches nothing.
    """

    kind: JobKind
    subject_id: UUID
    host: str | None
    priority: Priority
    run_at: datetime
    actor_user_id: UUID | None
    request_id: str | None
    first_failure: AttemptRecord | None = None
    """For a render job that takes over an ingestion: why the worker's own attempt failed."""


def ingest_job(
    media_id: UUID,
    host: str | None,
    run_at: datetime,
    user_id: UUID | None,
    request_id: str | None = None,
    *,
    priority: Priority = Priority.PERSON,
) -> NewJob:
    """Return the job that makes a page's article; it has no host if the content is here already."""
    return NewJob(JobKind.INGEST, media_id, host, priority, run_at, user_id, request_id)


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job's row in the queue."""

    id: UUID
    kind: JobKind
    subject_id: UUID
    queue: Queue
    host: str | None
    priority: int
    attempt: int
    run_at: datetime
    lease_until: datetime | None
    lease_token: UUID | None
    actor_user_id: UUID | None
    request_id: str | None
    enqueued_at: datetime
    is_queued_behind: bool
    """Whether it is queued behind another job for its host, so that it cannot be claimed yet."""
    wanted: int


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that a worker holds. `attempt` counts this claim; `lease_token` proves that it is still the worker's.

    `is_previous_lost`: the worker of the previous attempt died.
    """

    id: UUID
    kind: JobKind
    subject_id: UUID
    queue: Queue
    host: str | None
    priority: int
    attempt: int
    run_at: datetime
    lease_until: datetime
    lease_token: UUID
    wanted: int
    actor_user_id: UUID | None
    request_id: str | None
    enqueued_at: datetime
    first_failure: AttemptRecord | None = None
    is_previous_lost: bool = False


class LeaseLost(Exception):
    """Another worker holds this job now, or it is gone; nothing of this attempt may be written."""


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
    """The queue in numbers, for operators: how many jobs are in which state, for which hosts, and what failed last."""

    depths: list[Depth]
    hosts: list[HostDepth]
    last_failures: list[LastFailure]


def find_oldest_due(depths: Sequence[Depth], queue: Queue) -> datetime | None:
    """Return since when the longest waiting job could have run, but for free slots and its host's turn."""
    late = (JobState.DUE, JobState.WAITING)
    return min((depth.oldest_run_at for depth in depths if depth.queue is queue and depth.state in late), default=None)


def count_states(depths: Sequence[Depth]) -> Counter[JobState]:
    counted: Counter[JobState] = Counter()
    for depth in depths:
        counted[depth.state] += depth.jobs
    return counted
