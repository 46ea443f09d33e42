"""When to try again: pure decisions, no clock. Services and executors ask."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

LONGEST_WAIT_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class RetryAt:
    at: datetime


@dataclass(frozen=True, slots=True)
class NoMoreAttempts:
    pass


def seconds_before(attempt: int, *, base_seconds: float) -> float:
    """The wait before an attempt, counted from 1: none, then the base, doubling from there."""
    return 0.0 if attempt <= 1 else min(base_seconds * 2.0 ** min(attempt - 2, 32), LONGEST_WAIT_SECONDS)


def decide_retry(
    *,
    attempt: int,
    max_attempts: int,
    now: datetime,
    base_seconds: float,
    retry_after_seconds: float | None = None,
) -> RetryAt | NoMoreAttempts:
    """After attempt number `attempt` failed. A site's Retry-After counts up to ten minutes, and never shortens."""
    if attempt >= max_attempts:
        return NoMoreAttempts()
    wished = min(max(retry_after_seconds or 0.0, 0.0), LONGEST_WAIT_SECONDS)
    wait_seconds = max(seconds_before(attempt + 1, base_seconds=base_seconds), wished)
    return RetryAt(now + timedelta(seconds=wait_seconds))
