from datetime import UTC, datetime, timedelta

import pytest

from kept.web.rendering import local_path, with_query
from kept.web.text import (
    format_age,
    format_duration,
    format_exact,
    format_iso,
    initial_of,
    is_date_only,
    natural_key,
    shorten,
)

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=6), "6 days ago"),
        (timedelta(days=30), "16 Oct 2026"),
        (-timedelta(seconds=5), "just now"),
    ],
)
def test_an_age_is_relative_for_a_week_and_then_a_date(before: timedelta, text: str) -> None:
    assert format_age(NOW - before, NOW) == text


def test_an_exact_time_names_its_zone() -> None:
    assert format_exact(NOW) == "15 November 2026, 12:00:00 UTC"
    assert format_iso(NOW.replace(microsecond=5)) == "2026-11-15T12:00:00Z"


def test_a_publication_at_midnight_is_a_date_without_a_time() -> None:
    assert [is_date_only(NOW.replace(hour=hour)) for hour in (0, 12)] == [True, False]


def test_a_duration_is_in_milliseconds_or_seconds() -> None:
    assert (format_duration(310.4), format_duration(2140)) == ("310 ms", "2.1 s")


def test_a_placeholder_shows_the_first_letter_of_the_site() -> None:
    assert [initial_of(text) for text in ("“quoted”", "紙の家", "…")] == ["Q", "紙", "·"]


def test_a_long_text_ends_with_an_ellipsis() -> None:
    assert (shorten("abc", 3), shorten("ab cdef", 4)) == ("abc", "ab…")


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example", "//evil.example", "/\\evil.example", "/a\\b", "", "a", "/\x0a"]
)
def test_a_redirect_never_leaves_this_server(elsewhere: str) -> None:
    assert local_path(elsewhere) == "/"


def test_a_path_on_this_server_keeps_its_query() -> None:
    assert local_path("/?view=unread") == "/?view=unread"
    assert with_query("/?a=1", {"b": "x y", "c": None, "d": ""}) == "/?a=1&b=x+y"


def test_tags_are_in_natural_order() -> None:
    tags = ["tag 10", "Zebra", "tag 2", "äpfel", "apfelbaum", "2 birds", "10 birds", "²", "", "書"]
    assert sorted(tags, key=natural_key) == [
        "",
        "²",
        "2 birds",
        "10 birds",
        "äpfel",
        "apfelbaum",
        "tag 2",
        "tag 10",
        "Zebra",
        "書",
    ]
