"""What an operator is told of the queue."""

from datetime import UTC, datetime, timedelta

from kept.domain.job import Depth, JobKind, JobState, Queue, count_states, find_oldest_due

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def depth(state: JobState, minutes: int, *, queue: Queue = Queue.INGEST, jobs: int = 1) -> Depth:
    return Depth(queue, JobKind.INGEST, state, jobs, NOON + timedelta(minutes=minutes))


def test_the_oldest_due_job_may_wait_for_its_host_but_not_for_its_time_nor_run() -> None:
    depths = [
        depth(JobState.IN_FLIGHT, 1),
        depth(JobState.DELAYED, 2),
        depth(JobState.WAITING, 3),
        depth(JobState.DUE, 4),
    ]
    assert find_oldest_due(depths, Queue.INGEST) == NOON + timedelta(minutes=3)


def test_the_oldest_due_job_is_of_its_queue() -> None:
    depths = [depth(JobState.DUE, 1, queue=Queue.RENDER)]
    assert find_oldest_due(depths, Queue.INGEST) is None


def test_states_are_counted_over_kinds_and_queues() -> None:
    depths = [
        depth(JobState.DUE, 1, jobs=2),
        depth(JobState.DUE, 1, queue=Queue.RENDER, jobs=3),
        depth(JobState.DELAYED, 1),
    ]
    counted = count_states(depths)
    assert (counted[JobState.DUE], counted[JobState.DELAYED], counted[JobState.IN_FLIGHT]) == (5, 1, 0)
