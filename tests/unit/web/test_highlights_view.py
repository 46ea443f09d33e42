from datetime import UTC, date, datetime
from urllib.parse import parse_qsl, urlsplit

import pytest

from kept.domain.highlight import Colour
from kept.web.highlights_view import HighlightsView, parse_highlights_view

pytestmark = pytest.mark.requirement("Kept", "lists of highlights by words, colour, site and date")

LATE = datetime(2026, 11, 16, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    "view",
    [
        HighlightsView(),
        HighlightsView("a & b", Colour.RED, "example.org", date(2026, 1, 31), date(2026, 2, 1), zone="Asia/Tokyo"),
        HighlightsView(is_on_this_day=True),
    ],
)
def test_a_view_of_highlights_survives_its_url(view: HighlightsView) -> None:
    assert parse_highlights_view(dict(parse_qsl(urlsplit(view.url()).query))) == view


@pytest.mark.parametrize("day", ["yesterday", "0001-01-01", "9999-12-31", "2026-02-30", "", "-" * 1000])
def test_unknown_values_in_a_url_are_ignored(day: str) -> None:
    query = {"colour": "mauve", "from": day, "to": day, "view": "sideways", "q": " \x00 "}
    assert parse_highlights_view(query) == HighlightsView()


def test_days_begin_in_the_readers_time_zone() -> None:
    wanted = HighlightsView(since=date(2026, 11, 1), until=date(2026, 11, 1), zone="Asia/Tokyo").filter(LATE)
    assert wanted.since == datetime(2026, 10, 31, 15, tzinfo=UTC)
    assert wanted.until == datetime(2026, 11, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "today"),
    [("", date(2026, 11, 16)), ("Asia/Tokyo", date(2026, 11, 17)), ("America/Lima", date(2026, 11, 16))],
)
def test_on_this_day_is_the_readers_day(zone: str, today: date) -> None:
    assert HighlightsView(is_on_this_day=True, zone=zone).filter(LATE).on_day == today


@pytest.mark.parametrize("zone", ["Nowhere/Land", "../../etc/passwd", "/etc/localtime", "Europe", "x" * 64])
def test_an_unknown_time_zone_is_utc(zone: str) -> None:
    assert HighlightsView(zone=zone).today(LATE) == date(2026, 11, 16)
