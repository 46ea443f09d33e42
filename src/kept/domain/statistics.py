"""What one person has read and saved, by day, week and month; and how many days in a row they read. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from math import ceil
from typing import Final

from kept.domain.media import WORDS_PER_MINUTE

WEEKS_SHOWN: Final = 12
MONTHS_SHOWN: Final = 12
IN_TIME: Final = timedelta(seconds=5)
SOON: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Tally:
    articles: int = 0
    words: int = 0
    saved: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.articles + other.articles, self.words + other.words, self.saved + other.saved)


@dataclass(frozen=True, slots=True)
class Moment:
    """The amount that was read or saved in one hour, or in one minute."""

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
    """The articles that are unread and not archived."""

    articles: int
    words: int

    @property
    def minutes(self) -> int:
        return ceil(self.words / WORDS_PER_MINUTE)


@dataclass(frozen=True, slots=True)
class CardStory:
    """How one page got its card. `first_after` and `image_after` count from the save; None: not yet."""

    is_refused: bool
    found_at_once: Collection[str]
    first_after: timedelta | None
    image_after: timedelta | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: `count` of `whole`, whose share should be at least `goal`; None where there was nothing to measure."""

    code: str
    says: str
    share: float | None
    goal: float | None
    count: int
    whole: int

    @property
    def is_met(self) -> bool | None:
        return None if self.share is None or self.goal is None else self.share >= self.goal


class SuccessTally:
    """Counts stories one by one, so that a hundred thousand need no memory."""

    def __init__(self) -> None:
        self.pages = self.refused = 0
        self.worded = self.with_image = self.in_time = self.not_blank = 0
        self.without_image = self.image_soon = 0

    def add(self, story: CardStory) -> None:
        if story.is_refused:
            self.refused += 1
            return
        found, first = story.found_at_once, story.first_after
        at_once = first is not None and first <= IN_TIME
        self.pages += 1
        self.in_time += at_once
        self.worded += at_once and {"title", "excerpt"} <= set(found)
        self.with_image += at_once and "image" in found
        self.not_blank += at_once and bool(found)
        if not (at_once and "image" in found):
            self.without_image += 1
            self.image_soon += story.image_after is not None and story.image_after <= SOON

    def figures(self) -> list[Figure]:
        pages = self.pages
        return [
            self._figure("SC-001", "saves that showed title and excerpt at once", self.worded, pages, 0.80),
            self._figure("SC-002", "saves that showed an image at once", self.with_image, pages, 0.60),
            self._figure("SC-003", "saves answered within 5 seconds", self.in_time, pages, 0.95),
            self._figure(
                "SC-004", "saves without an image that got one within a minute", self.image_soon, self.without_image
            ),
            self._figure(
                "SC-005", "saves of URLs that must not be fetched, and were not", self.refused, pages + self.refused
            ),
            self._figure("SC-007", "saves that left nothing of the card to a worker", self.with_image, pages, 0.50),
            self._figure("SC-008", "saves that showed something of the page", self.not_blank, pages, 0.50),
        ]

    def _figure(self, code: str, says: str, part: int, whole: int, goal: float | None = None) -> Figure:
        return Figure(code, says, part / whole if whole else None, goal, part, whole)


def first_day_shown(today: date) -> date:
    """Return the first of the month eleven months ago; every week that is shown begins after it."""
    return _list_month_starts(today)[-1]


def has_whole_hours(zone: tzinfo, today: date) -> bool:
    """Return whether days in the zone begin at a full hour of UTC in the time shown; in India or Nepal they do not."""
    starts = [datetime(day.year, day.month, 1, 12, tzinfo=zone) for day in _list_month_starts(today)]
    return all((start.utcoffset() or timedelta()) % timedelta(hours=1) == timedelta() for start in starts)


def count_by_day(moments: Iterable[Moment], zone: tzinfo) -> dict[date, Tally]:
    days: dict[date, Tally] = {}
    for moment in moments:
        day = moment.at.astimezone(zone).date()
        days[day] = days.get(day, Tally()) + moment.tally
    return days


def list_weeks(days: Mapping[date, Tally], today: date) -> list[Period]:
    """Return the weeks, the newest first, each from its Monday."""
    this_week = today - timedelta(days=today.weekday())
    starts = [this_week - timedelta(weeks=number) for number in range(WEEKS_SHOWN)]
    return _sum_up(days, starts, {day: day - timedelta(days=day.weekday()) for day in days})


def list_months(days: Mapping[date, Tally], today: date) -> list[Period]:
    """Return the months, the newest first."""
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
    """Return the streaks; the current one lasts until a day without reading has passed."""
    read = sorted(day for day, tally in days.items() if tally.articles)
    longest, length, previous = 0, 0, None
    for day in read:
        length = length + 1 if previous is not None and day - previous == timedelta(days=1) else 1
        longest, previous = max(longest, length), day
    is_going_on = previous is not None and previous >= today - timedelta(days=1)
    return Streak(length if is_going_on else 0, longest)
