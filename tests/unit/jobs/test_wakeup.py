"""How often a worker looks whether somebody has committed."""

from kept.jobs.wakeup import REST_AFTER_SECONDS, RESTING_POLL_SECONDS, SQLITE_POLL_SECONDS, choose_poll_seconds


def test_a_worker_looks_less_often_once_nobody_has_committed_for_a_minute() -> None:
    assert choose_poll_seconds(0.0) == SQLITE_POLL_SECONDS
    assert choose_poll_seconds(REST_AFTER_SECONDS) == RESTING_POLL_SECONDS
    assert RESTING_POLL_SECONDS <= 0.05, "whoever saves after a rest waits for it"
