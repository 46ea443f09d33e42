"""What the viewer has read and saved in the last twelve months, and what waits to be read."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, tzinfo
from typing import Final

from kept.domain.account import Viewer
from kept.domain.statistics import (
    Period,
    Streak,
    Waiting,
    count_by_day,
    find_streak,
    first_day_shown,
    has_whole_hours,
    list_months,
    list_weeks,
)
from kept.storage import figures
from kept.storage.database.engine import Connection

SITES_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class ReadingStatistics:
    weeks: list[Period]
    months: list[Period]
    streak: Streak
    sites: list[tuple[str, int]]
    waiting: Waiting


def read_statistics(tx: Connection, viewer: Viewer, *, zone: tzinfo, now: datetime) -> ReadingStatistics:
    """Return what the viewer has read and saved, and nothing of other members. Days begin at midnight in `zone`."""
    today = now.astimezone(zone).date()
    since = datetime.combine(first_day_shown(today), time.min, zone).astimezone(UTC)
    by_minute = not has_whole_hours(zone, today)
    read = figures.list_read(tx, viewer.user_id, since, by_minute=by_minute)
    saved = figures.list_saved(tx, viewer.user_id, since, by_minute=by_minute)
    days = count_by_day([*read, *saved], zone)
    return ReadingStatistics(
        list_weeks(days, today),
        list_months(days, today),
        find_streak(days, today),
        figures.list_sites(tx, viewer.user_id, since, limit=SITES_SHOWN),
        figures.count_waiting(tx, viewer.user_id),
    )
