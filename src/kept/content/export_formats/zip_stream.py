"""ZIP files made piece by piece: nothing is held but the file being added, however many there are.

Python's own writer keeps half a kilobyte in memory for each file until the end, which is hundreds of megabytes for a
large library. Here the directory grows in a spool that the caller provides. Large archives (over 65,535 files or
4 GiB) are ZIP64. Why by hand: docs/decisions/0030-exports.md.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO, Final

STORED: Final = 0
DEFLATED: Final = 8
UTF8_NAMES: Final = 0x800
MADE_ON_UNIX: Final = 3 << 8
PLAIN_FILE: Final = 0o100644 << 16
TOO_MANY: Final = 0xFFFF
TOO_LONG: Final = 0xFFFFFFFF
ZIP64_TAG: Final = 1
CHUNK: Final = 64 * 1024


class Deflated:
    """A file that grows line by line and is kept compressed, in `store`, until it is complete."""

    def __init__(self, store: BinaryIO) -> None:
        self._store = store
        self._packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        self.size = self.packed_size = self.crc = 0

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self.size += len(data)
        self.crc = zlib.crc32(data, self.crc)
        self._keep(self._packer.compress(data))

    def finish(self) -> "Deflated":
        self._keep(self._packer.flush())
        return self

    def packed_chunks(self) -> Iterator[bytes]:
        self._store.seek(0)
        while chunk := self._store.read(CHUNK):
            yield chunk

    def chunks(self) -> Iterator[bytes]:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        for packed in self.packed_chunks():
            yield unpacker.decompress(packed)
        yield unpacker.flush()

    def _keep(self, packed: bytes) -> None:
        self._store.write(packed)
        self.packed_size += len(packed)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive."""

    name: str
    content: bytes | Deflated
    is_packed: bool = False
    """Whether it is compressed already, as images are, and stored as it is."""


class ZipStream:
    """Yields an archive's bytes. `directory` is an empty spool; all files carry the time `made_at`."""

    def __init__(self, directory: BinaryIO, made_at: datetime, *, offset: int = 0) -> None:
        self._directory = directory
        self._stamp = dos_time(made_at)
        self._offset, self._files, self._directory_size = offset, 0, 0

    def add(self, member: Member) -> Iterator[bytes]:
        name = member.name.encode()
        if isinstance(member.content, Deflated):
            file = member.content
            yield self._begin(name, DEFLATED, file.crc, file.packed_size, file.size)
            yield from file.packed_chunks()
            return
        crc, size = zlib.crc32(member.content), len(member.content)
        packed = member.content if member.is_packed else deflate(member.content)
        yield self._begin(name, STORED if member.is_packed else DEFLATED, crc, len(packed), size)
        yield packed

    def end(self) -> Iterator[bytes]:
        self._directory.seek(0)
        while chunk := self._directory.read(CHUNK):
            yield chunk
        yield self._end_records()

    def _begin(self, name: bytes, method: int, crc: int, packed_size: int, size: int) -> bytes:
        is_long = max(packed_size, size) >= TOO_LONG
        extra = zip64_extra(size, packed_size) if is_long else b""
        sizes = (TOO_LONG, TOO_LONG) if is_long else (packed_size, size)
        fields = (45 if is_long else 20, UTF8_NAMES, method, *self._stamp, crc, *sizes, len(name), len(extra))
        header = struct.pack("<4s5H3L2H", b"PK\3\4", *fields) + name + extra
        self._list(name, method, crc, packed_size, size)
        self._offset += len(header) + packed_size
        return header

    def _list(self, name: bytes, method: int, crc: int, packed_size: int, size: int) -> None:
        places = (size, packed_size, self._offset)
        extra = zip64_extra(*(place for place in places if place >= TOO_LONG))
        size, packed_size, offset = (min(place, TOO_LONG) for place in places)
        entry = struct.pack(
            "<4s6H3L5H2L",
            *(b"PK\1\2", MADE_ON_UNIX | 45, 45 if extra else 20, UTF8_NAMES, method, *self._stamp),
            *(crc, packed_size, size, len(name), len(extra), 0, 0, 0, PLAIN_FILE, offset),
        )
        self._directory.write(entry + name + extra)
        self._directory_size += len(entry) + len(name) + len(extra)
        self._files += 1

    def _end_records(self) -> bytes:
        files, size, offset = self._files, self._directory_size, self._offset
        long = b""
        if files >= TOO_MANY or max(size, offset) >= TOO_LONG:
            long = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, files, files, size, offset)
            long += struct.pack("<4sLQL", b"PK\6\7", 0, offset + size, 1)
        files, size, offset = min(files, TOO_MANY), min(size, TOO_LONG), min(offset, TOO_LONG)
        return long + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, files, files, size, offset, 0)


def deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def zip64_extra(*values: int) -> bytes:
    return struct.pack(f"<2H{len(values)}Q", ZIP64_TAG, 8 * len(values), *values) if values else b""


def dos_time(at: datetime) -> tuple[int, int]:
    """Return time and date as ZIP stores them: in steps of two seconds, from 1980 on."""
    at = at.astimezone(UTC)
    return at.hour << 11 | at.minute << 5 | at.second // 2, max(at.year - 1980, 0) << 9 | at.month << 5 | at.day
