"""The import reader: `python -m kept.subprocesses.import_worker DESCRIPTOR` reads one file that somebody uploaded.

Run by `kept.subprocesses.import_reader`, one process for each file. What the file does to this process harms it alone.
"""

import os
import sys
import time
import traceback
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from kept.content.import_formats.archive import ArchiveExhausted
from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow, prepare_rows
from kept.content.import_formats.registry import Unrecognised, find_reader
from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.domain.imported import FolderUse, ImportedEntry
from kept.subprocesses.child import serve
from kept.subprocesses.frames import Frame
from kept.subprocesses.import_codec import encode_row, encode_rows

# Beside it the worker fetches and writes the pages of everybody.
NICENESS: Final = 10
# An answer is sent when it has this many bytes or took this long, whatever was asked for.
ANSWER_BYTES: Final = 4 * 1024 * 1024
ANSWER_SECONDS: Final = 1.0

TOO_LARGE: Final = "The file is too large when unpacked."
UNREADABLE: Final = "The file could not be read."


class FileSession:
    """Where the process stands in its file."""

    def __init__(self, descriptor: int) -> None:
        self._stream: Final = os.fdopen(descriptor, "rb")
        self._file = UploadedFile(self._stream)
        self._skip = 0
        self._entries: Iterator[ImportedEntry] = iter(())
        self._rows: Iterator[PreparedRow] = iter(())

    def answer(self, request: Frame) -> Frame:
        asked = request.header
        try:
            match asked["do"]:
                case "open":
                    return self.open(asked)
                case "rows":
                    return self.next_rows(int(asked["most"]))
                case _:
                    return self.read_entry(str(asked["name"]), int(asked["max_bytes"]))
        except ArchiveExhausted:
            return Frame({"unreadable": TOO_LARGE})
        except MemoryError:
            return Frame({"unreadable": TOO_LARGE})
        except Exception:  # an entry point: whatever the file did, the import ends with a reason
            traceback.print_exc()
            return Frame({"unreadable": UNREADABLE})

    def open(self, asked: Any) -> Frame:
        self._file = UploadedFile(self._stream, asked["name"])
        reader = find_reader(self._file, asked["format"])
        if isinstance(reader, Unrecognised):
            return Frame({"unreadable": reader.reason})
        self.begin(reader, asked)
        return Frame({"format": reader.name})

    def begin(self, reader: FileReader, asked: Any) -> None:
        self._skip = first = int(asked["first"])
        self._entries = reader.read(self._file)
        use, now = FolderUse(asked["folder_use"]), datetime.fromisoformat(asked["now"])
        self._rows = prepare_rows(self._entries, first=first, folder_use=use, now=now)

    def next_rows(self, most: int) -> Frame:
        """Fewer than asked for, even none, where they are large or take long: the caller asks again. A highlight counts
        as a row does: it takes as long to write."""
        ends_at = time.monotonic() + ANSWER_SECONDS
        rows: list[tuple[bytes, bytes]] = []
        size = highlights = 0
        while len(rows) + highlights < most and size < ANSWER_BYTES and time.monotonic() < ends_at:
            if self._skip > 0:
                if next(self._entries, None) is None:
                    return encode_rows(rows, is_over=True)
                self._skip -= 1
                continue
            row = next(self._rows, None)
            if row is None:
                return encode_rows(rows, is_over=True)
            encoded = encode_row(row)
            rows.append(encoded)
            size += len(encoded[0]) + len(encoded[1])
            highlights += len(row.highlights) if isinstance(row, PreparedLink) else 0
        return encode_rows(rows, is_over=False)

    def read_entry(self, name: str, max_bytes: int) -> Frame:
        archive = self._file.archive
        data = archive.read(name, max_bytes) if archive is not None else None
        return Frame({"found": data is not None}, data or b"")


def main() -> None:
    os.nice(NICENESS)
    session = FileSession(int(sys.argv[1]))
    serve(session.answer, lambda: False)


if __name__ == "__main__":
    main()
