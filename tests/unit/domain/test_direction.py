"""Right to left and left to right."""

import pytest

from kept.domain.text import direction_of


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
def test_the_text_direction_follows_the_language_and_its_script(lang: str | None, direction: str) -> None:
    assert direction_of(lang) == direction
