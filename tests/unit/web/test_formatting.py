from datetime import UTC, datetime, timedelta

import pytest

from kept.web.formatting import direction_of, host_of, initial_of, say_ago, say_duration, shorten
from kept.web.rendering import local_path, with_query

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lang", "direction"),
    [
        (None, "auto"),
        ("en", "ltr"),
        ("ar-EG", "rtl"),
        ("he", "rtl"),
        ("FA_IR", "rtl"),
        ("az-Arab", "rtl"),
        ("ur-Latn-PK", "ltr"),
        ("ja", "ltr"),
    ],
)
def test_the_language_says_which_way_a_page_is_read(lang: str | None, direction: str) -> None:
    assert direction_of(lang) == direction


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=6), "6 days ago"),
        (timedelta(days=30), "16 Oct 2026"),
        (-timedelta(seconds=5), "just now"),
    ],
)
def test_the_past_is_said_as_people_say_it(before: timedelta, said: str) -> None:
    assert say_ago(NOW - before, NOW) == said


def test_durations_are_said_in_the_unit_that_fits() -> None:
    assert (say_duration(310.4), say_duration(2140)) == ("310 ms", "2.1 s")


def test_a_host_is_told_without_its_www_and_a_broken_address_has_none() -> None:
    assert [host_of(url) for url in ("https://www.example.org/a", "http://[", "mailto:ann@example.org")] == [
        "example.org",
        "",
        "",
    ]


def test_a_placeholder_shows_the_first_letter_there_is() -> None:
    assert [initial_of(text) for text in ("“quoted”", "紙の家", "…")] == ["Q", "紙", "·"]


def test_what_is_too_long_ends_with_an_ellipsis() -> None:
    assert (shorten("abc", 3), shorten("ab cdef", 4)) == ("abc", "ab…")


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example", "//evil.example", "/\\evil.example", "/a\\b", "", "a", "/\x0a"]
)
def test_a_path_that_could_lead_elsewhere_is_not_followed(elsewhere: str) -> None:
    assert local_path(elsewhere) == "/"


def test_a_path_of_ours_is_followed_with_its_query() -> None:
    assert local_path("/?view=unread") == "/?view=unread"
    assert with_query("/?a=1", {"b": "x y", "c": None, "d": ""}) == "/?a=1&b=x+y"
