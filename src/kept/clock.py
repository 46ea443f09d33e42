"""The clock: the one place that reads the time of day. Entry points and workers read it, and pass `now` down."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)
