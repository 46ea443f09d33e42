"""Content decoding in small pieces, so that whoever reads can stop: 1 GiB of zeros is 809 bytes of brotli."""

import sys
import zlib
from collections.abc import Iterator
from typing import Final, Protocol

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd"
PIECE_BYTES: Final = 64 * 1024
# A page is one member or frame, perhaps a few. Thousands of tiny ones are made to burn our time.
MAX_MEMBERS: Final = 256
# RFC 9659: a zstd window on the web is 8 MiB at most. By default a frame could make us take 128 MiB.
ZSTD_WINDOW_LOG: Final = 23
GZIP_MAGIC: Final = 0x1F
ZLIB_METHOD: Final = 0x08


class BadEncoding(Exception):
    """The body is not in the encoding it claims, or in one we did not ask for."""


class Decoder(Protocol):
    @property
    def is_complete(self) -> bool:
        """Whether the body may end here: the encoded stream has ended, or never began."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` adds to the decoded body, in pieces; the caller may stop after any of them."""


class IdentityDecoder:
    """A decoder for plain bodies, whose length or chunks tell whether they are whole."""

    is_complete: Final = True

    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data


class GzipDecoder:
    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._members = 0

    @property
    def is_complete(self) -> bool:
        return self._members == 0 or self._inflater.eof

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._members = max(self._members, 1)
        while data:
            if self._inflater.eof:
                if data[0] != GZIP_MAGIC:  # what trails the last member is padding: browsers ignore it
                    return
                self._begin_member()
            yield from inflate(self._inflater, data)
            data = self._inflater.unused_data

    def _begin_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise BadEncoding
        self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)


class DeflateDecoder:
    """A decoder for zlib streams (the standard) and bare deflate streams (many servers); the first byte tells."""

    def __init__(self) -> None:
        self._inflater: zlib._Decompress | None = None

    @property
    def is_complete(self) -> bool:
        return self._inflater is None or self._inflater.eof

    def decode(self, data: bytes) -> Iterator[bytes]:
        if not data:
            return
        if self._inflater is None:
            wrapped = data[0] & 0x0F == ZLIB_METHOD
            self._inflater = zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
        yield from inflate(self._inflater, data)


def inflate(inflater: "zlib._Decompress", data: bytes) -> Iterator[bytes]:
    """Decompress until a piece is not full: a full one may leave output behind although all input is used up."""
    full = True
    while full and not inflater.eof:
        try:
            piece = inflater.decompress(data, PIECE_BYTES)
        except zlib.error as error:
            raise BadEncoding from error
        data = inflater.unconsumed_tail
        full = len(piece) == PIECE_BYTES or bool(data)
        yield piece


class BrotliDecoder:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()
        self._has_begun = False

    @property
    def is_complete(self) -> bool:
        return not self._has_begun or self._decompressor.is_finished()

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._has_begun = True
        while not self._decompressor.is_finished():
            try:
                piece = self._decompressor.process(data, output_buffer_limit=PIECE_BYTES)
            except brotli.error as error:
                raise BadEncoding from error
            if not piece:
                return
            data = b""
            yield piece


class ZstdDecoder:
    def __init__(self) -> None:
        self._decompressor = self._next_frame()
        self._frames = 1
        self.is_complete = True

    def decode(self, data: bytes) -> Iterator[bytes]:
        self.is_complete = False
        while True:
            try:
                yield self._decompressor.decompress(data, PIECE_BYTES)
            except zstd.ZstdError as error:
                raise BadEncoding from error
            data = b""
            if self._decompressor.eof:
                data = self._decompressor.unused_data
                self.is_complete = not data
                self._frames += 1
                if self._frames > MAX_MEMBERS:
                    raise BadEncoding
                self._decompressor = self._next_frame()
            if not data and self._decompressor.needs_input:
                return

    @staticmethod
    def _next_frame() -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


DECODERS: Final[dict[str, type[Decoder]]] = {
    "": IdentityDecoder,
    "identity": IdentityDecoder,
    "gzip": GzipDecoder,
    "x-gzip": GzipDecoder,
    "deflate": DeflateDecoder,
    "br": BrotliDecoder,
    "zstd": ZstdDecoder,
}


def make_decoder(content_encoding: str) -> Decoder:
    """Return the decoder for a Content-Encoding header; nested encodings, which no honest site uses, are refused."""
    try:
        return DECODERS[content_encoding.strip().lower()]()
    except KeyError:
        raise BadEncoding from None
