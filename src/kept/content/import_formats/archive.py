"""A zip somebody brings, read within bounds: nothing is unpacked to disk, and no entry is larger than it says."""

import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from kept.domain.message import Message

MIB: Final = 1024 * 1024

ZIP_MAGIC: Final = b"PK\x03\x04"
END_MAGIC: Final = b"PK\x05\x06"
END_RECORD: Final = struct.Struct("<4s4H2LH")
LONGEST_COMMENT: Final = 65_535

# Fifty thousand articles with their highlights are a hundred thousand entries.
MAX_ENTRIES: Final = 250_000
TOO_MANY_FILES: Final = Message(
    "The zip file has more than %(max_entries)s files in it.", {"max_entries": f"{MAX_ENTRIES:,}"}
)
MAX_DIRECTORY_BYTES: Final = 32 * MIB
MAX_ENTRY_BYTES: Final = 64 * MIB
MAX_TOTAL_BYTES: Final = 1024 * MIB
# A page may lie in several libraries, and its article is then read for each.
MAX_EXPANDED_BYTES: Final = 2 * MAX_TOTAL_BYTES
# Text packs at 3 to 30 to one; zeros at a thousand. Small files may do as they like.
MAX_RATIO: Final = 100
RATIO_COUNTS_FROM: Final = 32 * MIB
# What `zipfile` raises for archives that are not what they say.
DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)


@dataclass(frozen=True, slots=True)
class BadArchive:
    """Why a zip cannot be read, in words for people."""

    reason: str


def say_damaged(name: str) -> Message:
    """Return the message for an entry of the zip that cannot be read, while others can."""
    return Message("%(name)s in the zip file is damaged.", {"name": name})


class ArchiveExhausted(Exception):
    """More was read from the archive than any export holds: its rows name the same entries again and again."""


@dataclass(slots=True)
class Archive:
    """A zip's plain entries by name. `read` returns None for what is missing or damaged."""

    zip: zipfile.ZipFile = field(repr=False)
    entries: dict[str, zipfile.ZipInfo] = field(repr=False)
    expanded_bytes: int = 0
    """The number of bytes read from it so far."""
    max_expanded_bytes: int = MAX_EXPANDED_BYTES

    def names(self, *, start: str = "", end: str = "") -> list[str]:
        return sorted(name for name in self.entries if name.startswith(start) and name.endswith(end))

    def read(self, name: str, max_bytes: int = MAX_ENTRY_BYTES) -> bytes | None:
        """Read an entry; None for one that is larger. It counts each time it is read, up to `ArchiveExhausted`."""
        entry = self.entries.get(name)
        if entry is None or entry.file_size > max_bytes:
            return None
        self.expanded_bytes += entry.file_size
        if self.expanded_bytes > self.max_expanded_bytes:
            raise ArchiveExhausted
        try:
            with self.zip.open(entry) as file:
                return file.read(max_bytes)
        except DAMAGE:
            return None


def open_archive(stream: BinaryIO) -> Archive | BadArchive:
    if not has_sane_directory(stream):
        return BadArchive("The zip file is damaged, or has too many files in it.")
    try:
        opened = zipfile.ZipFile(stream)
    except DAMAGE:
        return BadArchive("The zip file is damaged.")
    found = opened.infolist()
    fault = find_fault(found)
    if fault is not None:
        return BadArchive(fault)
    # What is stored as it is, such as documents, is no larger than the file that came.
    most = MAX_EXPANDED_BYTES + 2 * stream.seek(0, 2)
    return Archive(opened, {entry.filename: entry for entry in found if is_plain(entry)}, max_expanded_bytes=most)


def has_sane_directory(stream: BinaryIO) -> bool:
    """Check the directory's size before the zip is opened, which would read a directory of any size."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - END_RECORD.size - LONGEST_COMMENT))
    tail = stream.read()
    at = tail.rfind(END_MAGIC)
    if at < 0 or len(tail) - at < END_RECORD.size:
        return False
    directory_bytes: int = END_RECORD.unpack_from(tail, at)[5]
    return directory_bytes <= MAX_DIRECTORY_BYTES


def find_fault(entries: list[zipfile.ZipInfo]) -> str | None:
    # What is stored as it is, such as images, is no larger unpacked than it came.
    squeezed = [entry for entry in entries if entry.compress_type != zipfile.ZIP_STORED]
    unpacked = sum(entry.file_size for entry in squeezed)
    packed = sum(entry.compress_size for entry in squeezed)
    if len(entries) > MAX_ENTRIES:
        return str(TOO_MANY_FILES)
    if unpacked > MAX_TOTAL_BYTES or any(entry.file_size > MAX_ENTRY_BYTES for entry in squeezed):
        return "The zip file is too large when unpacked."
    if unpacked > RATIO_COUNTS_FROM and unpacked > packed * MAX_RATIO:
        return "The zip file is packed in a way no export is."
    if any(entry.flag_bits & 0x1 for entry in entries):
        return "The zip file is encrypted."
    return None


def is_plain(entry: zipfile.ZipInfo) -> bool:
    """Return whether this is a file whose name stays inside; what a Mac adds is not part of the export."""
    name = entry.filename
    leads_out = name.startswith("/") or "\\" in name or ".." in name.split("/")
    return bool(name) and not (entry.is_dir() or leads_out or name.startswith("__MACOSX/"))
