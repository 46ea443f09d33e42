"""Cursors come back as they were handed out; anything else is refused, whatever it is."""

import base64
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.domain.errors import InvalidRequest
from kept.domain.paging import MAX_OFFSET, Position, parse_offset, parse_position, write_offset, write_position
from support.builders.values import minutes


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@given(st.floats(0, 10**6), st.uuids())
def test_a_position_comes_back(after_noon: float, item_id: UUID) -> None:
    position = Position(minutes(after_noon), item_id)
    assert parse_position(write_position(position)) == position


@given(st.integers(1, MAX_OFFSET))
def test_an_offset_comes_back(offset: int) -> None:
    assert parse_offset(write_offset(offset)) == offset


@given(st.text())
def test_what_is_no_cursor_is_refused_and_never_crashes(text: str) -> None:
    for parse in (parse_position, parse_offset):
        with pytest.raises(InvalidRequest):
            parse(text)


@pytest.mark.parametrize("said", ["at 0", "at -1", "at 1000001", f"at {'9' * 5000}", "to 5", "at ²"])
def test_an_offset_that_was_never_handed_out_is_refused(said: str) -> None:
    with pytest.raises(InvalidRequest):
        parse_offset(encoded(said))


def test_a_position_without_a_time_zone_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        parse_position(encoded(f"2026-01-01T12:00:00 {UUID(int=1)}"))
