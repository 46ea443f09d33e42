"""The Retry-After header: seconds or a date, and never more patience than ten minutes."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MAX_RETRY_AFTER_SECONDS: Final = 600.0


def find_retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text), MAX_RETRY_AFTER_SECONDS)
    at = find_date(text)
    if at is None:
        return None
    # By the site's own clock, where it tells it: ours or theirs may be wrong.
    site_now = find_date(headers.get("date", "")) or now
    return min(max((at - site_now).total_seconds(), 0.0), MAX_RETRY_AFTER_SECONDS)


def find_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
