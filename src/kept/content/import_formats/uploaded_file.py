"""A file as somebody brought it: what its beginning looks like, and ways to read it that stay within bounds."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, Final, TextIO

from kept.content.import_formats.archive import ZIP_MAGIC, Archive, BadArchive, open_archive
from kept.content.import_formats.text_decoding import choose_encoding, decode, open_text
from kept.domain.imported import ImportedEntry

HEAD_BYTES: Final = 64 * 1024
MARKUP: Final = re.compile(r"\s*(?:<!doctype|<html|<meta|<title|<h1|<dl|<ul|<!--|<head|<dt)", re.IGNORECASE)
DELIMITERS: Final = (",", ";", "\t")  # the first of those with the most columns


class UploadedFile:
    """An uploaded file, whose `stream` can be read and sought; whoever opened it closes it."""

    def __init__(self, stream: BinaryIO, name: str = "") -> None:
        self.stream, self.name = stream, name

    @classmethod
    def of(cls, data: bytes, name: str = "") -> "UploadedFile":
        return cls(io.BytesIO(data), name)

    @cached_property
    def head(self) -> bytes:
        self.stream.seek(0)
        return self.stream.read(HEAD_BYTES)

    @cached_property
    def head_text(self) -> str:
        """The beginning of the file, decoded; its last character may be broken."""
        data = self.head
        return decode(data[: len(data) - len(data) % 2] if choose_encoding(data).startswith("utf-16") else data)

    @cached_property
    def archive(self) -> Archive | None:
        return None if isinstance(self.zip, BadArchive) else self.zip

    @cached_property
    def zip(self) -> Archive | BadArchive | None:
        return open_archive(self.stream) if self.head.startswith(ZIP_MAGIC) else None

    @cached_property
    def is_binary(self) -> bool:
        return b"\x00" in self.head and not choose_encoding(self.head).startswith("utf-16")

    @cached_property
    def is_json(self) -> bool:
        return self.head_text.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}

    @cached_property
    def is_markup(self) -> bool:
        return MARKUP.match(self.head_text.lstrip("\ufeff")) is not None

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names in the first line of a CSV file, in lower case."""
        try:
            cells = next(csv.reader([self._first_line], delimiter=self.delimiter), [])
        except csv.Error:
            return frozenset()
        return frozenset(cell.strip().lower() for cell in cells)

    @cached_property
    def delimiter(self) -> str:
        """The character that separates the columns of a CSV file, which is a semicolon where numbers have commas."""
        unquoted = "".join(self._first_line.split('"')[::2])
        return max(DELIMITERS, key=unquoted.count)

    @property
    def _first_line(self) -> str:
        return self.head_text.lstrip("\ufeff").partition("\n")[0].strip("\r")

    def text(self) -> TextIO:
        """Open the file as text, from the start each time."""
        head = self.head
        self.stream.seek(0)
        return open_text(self.stream, head)


@dataclass(frozen=True, slots=True)
class FileReader:
    """A format: its name, a way to recognise its files, and a way to read them.

    `recognises` looks at the beginning and the names inside; `read` may be called again and yields the same.
    """

    name: str
    label: str
    recognises: Callable[[UploadedFile], bool]
    read: Callable[[UploadedFile], Iterator[ImportedEntry]]
