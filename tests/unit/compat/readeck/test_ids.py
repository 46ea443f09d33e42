"""Readeck's ids: 22 letters and digits for each of ours, for ever the same."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.compat.readeck.bookmarks_out import find_id, parse_id, write_id
from kept.domain.errors import NotFound


@given(st.uuids())
def test_an_id_leads_back_to_the_item(key: UUID) -> None:
    text = write_id(key)
    assert (len(text), text.isalnum(), text.isascii()) == (22, True, True)
    assert parse_id(text) == key


def test_ids_are_stable() -> None:
    """Changing the spelling would make every client load everything again, and lose what it knows."""
    assert write_id(UUID("0193f3c4-8f3e-7c1b-9a58-3f7e5b2c4d61")) == "02ybc4jY6oBne90kkWkPZp"


@pytest.mark.parametrize("text", ["", "x", "0" * 21, "0" * 23, "z" * 22, "０" * 22, "0" * 21 + "-", "0" * 21 + "é"])
def test_what_is_no_id_is_not_there(text: str) -> None:
    assert find_id(text) is None
    with pytest.raises(NotFound):
        parse_id(text)
