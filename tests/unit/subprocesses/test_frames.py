"""Frames, whole and broken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.subprocesses.frames import LENGTHS, Frame, FrameError, encode_frame, parse_frame, parse_lengths

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


@given(st.dictionaries(st.text(), JSON), st.binary())
def test_a_frame_arrives_as_it_was_sent(header: dict[str, object], body: bytes) -> None:
    wire = encode_frame(Frame(header, body))
    header_length, body_length = parse_lengths(wire[: LENGTHS.size])
    rest = wire[LENGTHS.size :]
    assert len(rest) == header_length + body_length
    assert parse_frame(rest[:header_length], rest[header_length:]) == Frame(header, body)


def test_a_frame_that_claims_to_be_huge_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError, match="too large"):
        parse_lengths(LENGTHS.pack(10, 2**32 - 1))


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_header_that_is_no_object_is_refused(header: bytes) -> None:
    with pytest.raises(FrameError):
        parse_frame(header, b"")
