"""Decodes the bytes of a file: UTF-8 with or without a mark, UTF-16, or one of the old Western encodings."""

import codecs
import io
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Bytes that are no UTF-8 are read as what a Western Windows program would have meant; nothing is lost, nothing raises.
WESTERN: Final = "kept.western"
MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def read_as_western(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(WESTERN, read_as_western)


def choose_encoding(head: bytes) -> str:
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return encoding
    sample = head[:256]
    if len(sample) >= 4:
        if sample[1::2].count(0) > len(sample) // 3:
            return "utf-16-le"
        if sample[0::2].count(0) > len(sample) // 3:
            return "utf-16-be"
    return "utf-8"


def decode(data: bytes) -> str:
    encoding = choose_encoding(data)
    return data.decode(encoding, WESTERN if encoding.startswith("utf-8") else "replace")


def open_text(stream: BinaryIO, head: bytes) -> TextIO:
    """Open the stream as text with its line ends as they are, because a CSV cell may hold them."""
    encoding = choose_encoding(head)
    errors = WESTERN if encoding.startswith("utf-8") else "replace"
    return io.TextIOWrapper(io.BufferedReader(Uncloseable(stream)), encoding=encoding, errors=errors, newline="")


class Uncloseable(io.RawIOBase):
    """Reads from a stream that stays open when the text over it is thrown away."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        data = self.stream.read(len(view))
        view[: len(data)] = data
        return len(data)
