"""Content decoding: the same bytes come out, in pieces, however they are cut going in."""

import contextlib
import gzip
import random
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kept.fetch.decoding import MAX_MEMBERS, PIECE_BYTES, BadEncoding, make_decoder

pytestmark = pytest.mark.requirement("002", "§4 no half article: a stream that breaks off")

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def deflate_raw(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


def same(data: bytes) -> bytes:
    return data


def compress_brotli(data: bytes) -> bytes:
    compressed: bytes = brotli.compress(data, quality=1)
    return compressed


ENCODERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", same),
    ("identity", same),
    ("gzip", gzip.compress),
    (" X-GZIP ", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", deflate_raw),
    ("br", compress_brotli),
    ("zstd", zstd.compress),
]


def decode(encoding: str, data: bytes, cut: int) -> bytes:
    decoder = make_decoder(encoding)
    chunks = [data[start : start + cut] for start in range(0, len(data), cut)]
    return b"".join(piece for chunk in chunks for piece in decoder.decode(chunk))


@pytest.mark.parametrize(("encoding", "encode"), ENCODERS)
@pytest.mark.parametrize("cut", [1, 7, 1000, 1 << 20])
def test_every_encoding_gives_back_what_went_in(encoding: str, encode: Callable[[bytes], bytes], cut: int) -> None:
    data = b"<p>" * 500 + random.Random(7).randbytes(3000)
    assert decode(encoding, encode(data), cut) == data


@pytest.mark.parametrize(("encoding", "encode"), ENCODERS[2:])
def test_a_large_body_comes_in_small_pieces(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    data = bytes(3 * 1024 * 1024)
    pieces = list(make_decoder(encoding).decode(encode(data)))
    assert b"".join(pieces) == data
    # brotli's limit is a soft one: it may go over by a block
    assert max(len(piece) for piece in pieces) <= 2 * PIECE_BYTES


@pytest.mark.parametrize(("encoding", "encode"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_members_one_after_the_other_are_one_body(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    data = encode(b"one ") + encode(b"two")
    for cut in (1, 5, len(encode(b"one ")), 1000):
        assert decode(encoding, data, cut) == b"one two"


@pytest.mark.parametrize(("encoding", "encode"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_thousands_of_members_are_refused(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BadEncoding):
        decode(encoding, encode(b"") * (MAX_MEMBERS + 1), 1 << 20)


@pytest.mark.parametrize(("encoding", "encode"), ENCODERS[2:])
@pytest.mark.parametrize("step", [1, 7, 1 << 20])
def test_a_stream_is_complete_at_its_end_and_nowhere_before(
    encoding: str, encode: Callable[[bytes], bytes], step: int
) -> None:
    data = encode(b"<p>" * 50 + random.Random(7).randbytes(100))
    for end in range(1, len(data)):
        assert not is_complete(encoding, data[:end], step), end
    assert is_complete(encoding, data, step)


@pytest.mark.parametrize(("encoding", "encode"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_a_second_member_that_is_cut_is_incomplete(encoding: str, encode: Callable[[bytes], bytes]) -> None:
    one, two = encode(b"one "), encode(b"two")
    for step in (1, len(one), 1000):
        assert is_complete(encoding, one, step)
        assert not is_complete(encoding, one + two[:-1], step)
        assert is_complete(encoding, one + two, step)


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate", "br", "zstd"])
def test_nothing_at_all_is_a_complete_body(encoding: str) -> None:
    assert make_decoder(encoding).is_complete


def is_complete(encoding: str, data: bytes, step: int) -> bool:
    decoder = make_decoder(encoding)
    for start in range(0, len(data), step):
        for _ in decoder.decode(data[start : start + step]):
            pass
    return decoder.is_complete


def test_padding_after_gzip_is_ignored() -> None:
    assert decode("gzip", gzip.compress(b"page") + bytes(10), 1000) == b"page"
    assert decode("gzip", gzip.compress(b"page") + bytes(10), 1) == b"page"


def test_a_zstd_window_larger_than_the_web_allows_is_refused() -> None:
    compressor = zstd.ZstdCompressor(options={int(zstd.CompressionParameter.window_log): 27})
    data = compressor.compress(bytes(200)) + compressor.compress(b"", zstd.ZstdCompressor.FLUSH_BLOCK)
    with pytest.raises(BadEncoding):
        decode("zstd", data, 1000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_garbage_is_a_bad_encoding(encoding: str) -> None:
    with pytest.raises(BadEncoding):
        decode(encoding, b"\x0f<html>this is not compressed at all</html>" * 100, 4096)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip, br", "compress", "exi"])
def test_an_encoding_we_did_not_ask_for_is_refused(encoding: str) -> None:
    with pytest.raises(BadEncoding):
        make_decoder(encoding)


@given(st.sampled_from(["gzip", "deflate", "br", "zstd"]), st.binary(max_size=300), st.integers(1, 50))
def test_hostile_bytes_never_raise_anything_else(encoding: str, data: bytes, cut: int) -> None:
    with contextlib.suppress(BadEncoding):
        decode(encoding, data, cut)
