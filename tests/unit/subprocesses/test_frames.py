"""Frames, whole and broken."""

import asyncio
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.subprocesses.frames import (
    LENGTHS,
    MAX_HEADER_BYTES,
    Frame,
    FrameError,
    encode_frame,
    parse_frame,
    parse_lengths,
    read_frame,
    receive_frame,
)

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


async def receive(data: bytes, max_body_bytes: int = 100) -> Frame:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await receive_frame(reader, max_body_bytes)


@given(st.dictionaries(st.text(), JSON), st.binary())
def test_a_frame_arrives_as_it_was_sent(header: dict[str, object], body: bytes) -> None:
    wire = encode_frame(Frame(header, body))
    header_length, body_length = parse_lengths(wire[: LENGTHS.size])
    rest = wire[LENGTHS.size :]
    assert len(rest) == header_length + body_length
    assert parse_frame(rest[:header_length], rest[header_length:]) == Frame(header, body)
    assert read_frame(io.BytesIO(wire)) == Frame(header, body)


async def test_a_frame_is_received_as_it_was_sent() -> None:
    assert await receive(encode_frame(Frame({"détail": 1}, b"one"))) == Frame({"détail": 1}, b"one")


def test_a_frame_that_claims_to_be_huge_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError, match="too large"):
        parse_lengths(LENGTHS.pack(10, 2**32 - 1))
    with pytest.raises(FrameError, match="too large"):
        parse_lengths(LENGTHS.pack(MAX_HEADER_BYTES + 1, 0))


async def test_a_body_over_the_readers_own_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError, match="too large"):
        await receive(LENGTHS.pack(2, 101) + b"{}")


@pytest.mark.parametrize("header", [b"", b"{", b"[]", b"\xff\xfe", b"nope"])
def test_a_header_that_is_no_object_is_refused(header: bytes) -> None:
    with pytest.raises(FrameError):
        parse_frame(header, b"")


@pytest.mark.parametrize("length", [0, 4, LENGTHS.size, -6, -1])
async def test_a_process_that_dies_in_mid_sentence_is_noticed(length: int) -> None:
    wire = encode_frame(Frame({"version": "1"}, b"part"))[:length]
    with pytest.raises(asyncio.IncompleteReadError):
        await receive(wire)
    assert read_frame(io.BytesIO(wire)) is None
