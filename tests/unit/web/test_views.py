from uuid import UUID

import pytest

from kept.web.views import Shelf, View, parse_shelf, shelf_of

LIBRARY = UUID("0198c0de-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    "shelf",
    [
        Shelf(),
        Shelf(View.UNREAD, LIBRARY, "two words", "a & b", oldest_first=True),
        Shelf(View.FAILED, text="100%"),
    ],
)
def test_a_shelf_and_its_address_say_the_same(shelf: Shelf) -> None:
    assert shelf_of(shelf.address()) == shelf


def test_what_an_address_says_beyond_what_is_known_is_passed_over() -> None:
    assert parse_shelf(view="nonsense", library="not-an-id", sort="sideways", q="  \x00 ") == Shelf()


def test_tags_are_looked_for_as_they_are_kept() -> None:
    assert parse_shelf(tag="  Two   UserFields ").tag == "two words"
