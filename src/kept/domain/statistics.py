"""What one person has read and saved, by day, week and month; and how many days in a row they read. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from math import ceil
from typing import Final

from kept.domain.media import WORDS_PER_MINUTE

WEEKS_SHOWN: Final = 12
MONTHS_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Tally:
    articles: int = 0
    words: int = 0
    saved: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.articles + other.articles, self.words + other.words, self.saved + other.saved)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was read or saved in one hour, or in one minute."""

    at: datetime
    tally: Tally


@dataclass(frozen=True, slots=True)
class Period:
    begins_on: date
    tally: Tally


@dataclass(frozen=True, slots=True)
class Streak:
    """Days in a row on which something was read."""

    current: int
    longest: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What is unread and not archived."""

    articles: int
    words: int

    @property
    def minutes(self) -> int:
        return ceil(self.words / WORDS_PER_MINUTE)


def first_day_shown(today: date) -> date:
    """The first of the month eleven months ago; every week that is shown begins after it."""
    return _list_month_starts(today)[-1]


def has_whole_hours(zone: tzinfo, today: date) -> bool:
    """Whether days begin with an hour of UTC in the time that is shown; in India or Nepal they do not."""
    starts = [datetime(day.year, day.month, 1, 12, tzinfo=zone) for day in _list_month_starts(today)]
    return all((start.utcoffset() or timedelta()) % timedelta(hours=1) == timedelta() for start in starts)


def count_by_day(moments: Iterable[Moment], zone: tzinfo) -> dict[date, Tally]:
    days: dict[date, Tally] = {}
    for moment in moments:
        day = moment.at.astimezone(zone).date()
        days[day] = days.get(day, Tally()) + moment.tally
    return days


def list_weeks(days: Mapping[date, Tally], today: date) -> list[Period]:
    """The newest first, each from its Monday."""
    this_week = today - timedelta(days=today.weekday())
    starts = [this_week - timedelta(weeks=number) for number in range(WEEKS_SHOWN)]
    return _sum_up(days, starts, {day: day - timedelta(days=day.weekday()) for day in days})


def list_months(days: Mapping[date, Tally], today: date) -> list[Period]:
    """The newest first."""
    return _sum_up(days, _list_month_starts(today), {day: day.replace(day=1) for day in days})


def _list_month_starts(today: date) -> list[date]:
    starts = [today.replace(day=1)]
    while len(starts) < MONTHS_SHOWN:
        starts.append((starts[-1] - timedelta(days=1)).replace(day=1))
    return starts


def _sum_up(days: Mapping[date, Tally], starts: Sequence[date], start_of: Mapping[date, date]) -> list[Period]:
    sums = {start: Tally() for start in starts}
    for day, tally in days.items():
        if start_of[day] in sums:
            sums[start_of[day]] += tally
    return [Period(start, sums[start]) for start in starts]


def find_streak(days: Mapping[date, Tally], today: date) -> Streak:
    """The current one goes on until a day without reading has passed."""
    read = sorted(day for day, tally in days.items() if tally.articles)
    longest, length, previous = 0, 0, None
    for day in read:
        length = length + 1 if previous is not None and day - previous == timedelta(days=1) else 1
        longest, previous = max(longest, length), day
    is_going_on = previous is not None and previous >= today - timedelta(days=1)
    return Streak(length if is_going_on else 0, longest)
