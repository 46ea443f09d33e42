"""What was read, by the days, weeks and months of where the reader is."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from kept.domain.statistics import (
    Moment,
    Period,
    Streak,
    Tally,
    Waiting,
    count_by_day,
    find_streak,
    first_day_shown,
    has_whole_hours,
    list_months,
    list_weeks,
)

TODAY = date(2026, 3, 4)  # a Wednesday
ONE = Tally(articles=1, words=100)


def days_ago(*numbers: int) -> dict[date, Tally]:
    return {TODAY - timedelta(days=number): ONE for number in numbers}


def test_a_day_is_one_of_the_readers_time_zone() -> None:
    late = Moment(datetime(2026, 3, 3, 22, 50, tzinfo=UTC), ONE)
    saved = Moment(datetime(2026, 3, 4, 1, 0, tzinfo=UTC), Tally(saved=2))
    assert count_by_day([late, saved], UTC) == {date(2026, 3, 3): ONE, date(2026, 3, 4): Tally(saved=2)}
    assert count_by_day([late, saved], ZoneInfo("Asia/Kathmandu")) == {date(2026, 3, 4): Tally(1, 100, 2)}


@pytest.mark.parametrize(
    ("zone", "whole"),
    [("UTC", True), ("Europe/Berlin", True), ("Asia/Kolkata", False), ("Australia/Lord_Howe", False)],
)
def test_days_begin_with_an_hour_of_utc_or_not(zone: str, whole: bool) -> None:
    assert has_whole_hours(ZoneInfo(zone), TODAY) is whole


def test_weeks_begin_on_monday_and_the_newest_is_first() -> None:
    weeks = list_weeks(days_ago(0, 2, 3), TODAY)
    assert weeks[:2] == [Period(date(2026, 3, 2), Tally(2, 200)), Period(date(2026, 2, 23), ONE)]
    assert len(weeks) == 12


def test_months_go_back_to_the_same_month_of_the_year_before() -> None:
    months = list_months(days_ago(3, 4, 400), TODAY)
    assert months[:2] == [Period(date(2026, 3, 1), ONE), Period(date(2026, 2, 1), ONE)]
    assert months[-1] == Period(date(2025, 4, 1), Tally())
    assert months[-1].begins_on == first_day_shown(TODAY)


@pytest.mark.parametrize(
    ("read", "streak"),
    [
        ((), Streak(0, 0)),
        ((0,), Streak(1, 1)),
        ((1, 2), Streak(2, 2)),  # today is not over
        ((2, 3, 4), Streak(0, 3)),
        ((0, 1, 5, 6, 7), Streak(2, 3)),
    ],
)
def test_a_streak_ends_with_a_day_without_reading(read: tuple[int, ...], streak: Streak) -> None:
    assert find_streak(days_ago(*read), TODAY) == streak


def test_days_on_which_one_only_saved_are_no_streak() -> None:
    assert find_streak({TODAY: Tally(saved=3)}, TODAY) == Streak(0, 0)


def test_waiting_time_is_rounded_up() -> None:
    assert [Waiting(1, words).minutes for words in (0, 1, 230, 231)] == [0, 1, 1, 2]
