"""Names and tags in every script."""

import pytest

from kept.domain.text import parse_line, replace_unprintable


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",
        "\U0001f469\u200d\U0001f4bb",
        "क्‍ष",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_words_and_emoji_that_are_written_with_joiners_stay_whole(text: str) -> None:
    assert parse_line(text) == text


def test_what_nobody_sees_is_left_out() -> None:
    assert parse_line("\ufeffnews\u200b \u202eold\u202c\u200d") == "news old"


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\u200d", "\u200c \u200d", "\U000e0067"])
def test_nothing_that_can_be_seen_is_nothing(text: str) -> None:
    assert parse_line(text) is None


@pytest.mark.parametrize("text", ["a\x00b", "line\x07bell", "half \ud800", "private \ue000"])
def test_what_cannot_be_shown_is_refused(text: str) -> None:
    assert parse_line(text) is None


def test_what_cannot_be_shown_becomes_spaces() -> None:
    assert replace_unprintable("a\x00b\u200cc") == "a b\u200cc"
