from datetime import UTC, datetime, timedelta

import pytest

from kept.domain.attempt import NoMoreAttempts, RetryAt, decide_retry, seconds_before

pytestmark = pytest.mark.requirement(
    "differs", "004 §10: no automatic retries → three attempts (002 §6, 003 §5.2), or `KEPT_MAX_ATTEMPTS`"
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def wait_after(attempt: int, *, max_attempts: int = 3, retry_after_seconds: float | None = None) -> float | None:
    decision = decide_retry(
        attempt=attempt,
        max_attempts=max_attempts,
        now=NOW,
        base_seconds=2.0,
        retry_after_seconds=retry_after_seconds,
    )
    match decision:
        case RetryAt(at):
            return (at - NOW).total_seconds()
        case NoMoreAttempts():
            return None


@pytest.mark.requirement("000", "FR-023")
@pytest.mark.requirement("003", "§5.2 retry strategy, §8.2")
def test_the_three_attempts_come_at_once_after_two_seconds_and_after_four() -> None:
    assert [seconds_before(attempt, base_seconds=2.0) for attempt in (1, 2, 3)] == [0, 2, 4]
    assert [wait_after(attempt) for attempt in (1, 2, 3)] == [2, 4, None]


def test_one_attempt_allowed_means_no_retry() -> None:
    assert wait_after(1, max_attempts=1) is None


@pytest.mark.parametrize(
    ("asked", "waited"), [(None, 2), (0, 2), (-5, 2), (1, 2), (30, 30), (600, 600), (86_400, 600), (float("inf"), 600)]
)
def test_a_retry_after_counts_up_to_ten_minutes_and_never_shortens(asked: float | None, waited: float) -> None:
    assert wait_after(1, retry_after_seconds=asked) == waited


def test_a_failure_that_another_attempt_does_not_change_is_not_tried_again() -> None:
    decision = decide_retry(attempt=1, max_attempts=3, now=NOW, base_seconds=2.0, is_transient=False)
    assert decision == NoMoreAttempts()


def test_a_retry_after_buys_no_further_attempt() -> None:
    assert wait_after(3, retry_after_seconds=5) is None


@pytest.mark.parametrize("attempt", [40, 5000])
def test_many_attempts_do_not_overflow(attempt: int) -> None:
    assert wait_after(attempt, max_attempts=10_000) == 600
    assert timedelta(seconds=seconds_before(attempt, base_seconds=2.0)) == timedelta(minutes=10)
