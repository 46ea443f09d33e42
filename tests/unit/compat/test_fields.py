"""What clients send, whatever form they chose."""

from datetime import UTC, datetime

import pytest

from kept.compat.fields import Fields


def one(value: object) -> Fields:
    return Fields({"x": [value]})


@pytest.mark.parametrize("value", [1, "1", True, "true", "True", "yes", "on", 2, 1.0])
def test_every_spelling_of_yes_is_yes(value: object) -> None:
    assert one(value).flag("x") is True


@pytest.mark.parametrize("value", [0, "0", False, "false", "no", "off", "", 0.0])
def test_every_spelling_of_no_is_no(value: object) -> None:
    assert one(value).flag("x") is False


@pytest.mark.parametrize("value", [None, "maybe", [], {}])
def test_what_is_neither_says_nothing(value: object) -> None:
    assert one(value).flag("x") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *(("30", 30), (30, 30), ("-1", -1), ("9223372036854775807", 2**53), (1e300, 2**53), (float("inf"), None)),
        *(
            ("1" * 30, 2**53),
            ("-" + "1" * 30, -(2**53)),
            ("\N{ARABIC-INDIC DIGIT THREE}", None),
            (True, None),
            ("", None),
            ("x", None),
        ),
    ],
)
def test_numbers_are_bounded(value: object, expected: int | None) -> None:
    assert one(value).integer("x") == expected


def test_lists_come_as_json_as_repeated_fields_or_between_commas() -> None:
    fields = Fields({"a": [["x", "y,z", 3]], "b": ["p", "q"], "c[]": ["u"], "d": [" m , ,n "]})
    assert fields.words("a") == ["x", "y", "z"]
    assert fields.texts("b") == ["p", "q"]
    assert fields.texts("c") == ["u"]
    assert fields.words("d") == ["m", "n"]


def test_texts_are_storable() -> None:
    assert one("a\x00b\ud800").text("x") == "ab?"
    assert one(5).text("x") == "5"
    assert one(["a"]).text("x") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", datetime(1970, 1, 1, tzinfo=UTC)),
        (86400, datetime(1970, 1, 2, tzinfo=UTC)),
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC)),
        ("2026-01-02T03:04:05 02:00", datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("2026-01-02 03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("9" * 19, None),
        ("soon", None),
        (None, None),
    ],
)
def test_moments_are_seconds_or_iso(value: object, expected: datetime | None) -> None:
    assert one(value).moment("x") == expected
