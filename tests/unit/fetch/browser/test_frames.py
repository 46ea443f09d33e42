import asyncio

import pytest

from kept.fetch.browser.frames import (
    MAX_HEADER_BYTES,
    PREFIX,
    Failed,
    FrameError,
    Launched,
    Message,
    Trouble,
    encode,
    read_message,
)


async def read(data: bytes, max_part_bytes: int = 100) -> tuple[Message, list[bytes]]:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await read_message(reader, max_part_bytes=max_part_bytes)


async def test_a_message_arrives_as_it_was_sent_with_its_binary_parts() -> None:
    message = Failed(Trouble.CRASHED, "http://example.com/", "détail", 200, {"content-type": "text/html"})

    assert await read(encode(message, b"one", b"")) == (message, [b"one", b""])


async def test_a_part_over_the_limit_is_refused_before_it_is_read() -> None:
    with pytest.raises(FrameError):
        await read(encode(Launched("1", 2), b"x" * 101))


async def test_more_parts_than_any_message_has_are_refused() -> None:
    with pytest.raises(FrameError):
        await read(encode(Launched("1", 2), b"1", b"2", b"3"))


@pytest.mark.parametrize(
    "data",
    [
        PREFIX.pack(MAX_HEADER_BYTES + 1),
        PREFIX.pack(2) + b"{}",
        PREFIX.pack(4) + b"nope",
        PREFIX.pack(40) + b'{"kind":"os","fields":{},"parts":[]}    ',
        PREFIX.pack(46) + b'{"kind":"launched","fields":{"x":1},"parts":[]}'[:46],
    ],
)
async def test_nonsense_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        await read(data)


async def test_a_child_that_dies_in_mid_sentence_is_noticed() -> None:
    with pytest.raises(asyncio.IncompleteReadError):
        await read(encode(Launched("1", 2), b"part")[:-1])
