"""The elements of a JSON list one at a time, so that a file of many articles is never in memory as a whole."""

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Final, TextIO

from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.imported import ImportedEntry, Rejected
from kept.domain.json import JsonObject, JsonValue

CHUNK: Final = 1024 * 1024
# One article with its images inside; beyond that it is not an article.
LONGEST_ELEMENT: Final = 64 * 1024 * 1024
SPACE: Final = re.compile(r"[ \t\r\n\ufeff]*")
BROKEN: Final = "The file is damaged from here on: it is not whole JSON."
NOT_AN_OBJECT: Final = "This entry is not an object."


class Window:
    """A moving view of a text: what was read and not yet used."""

    def __init__(self, text: TextIO) -> None:
        self.text, self.buffer, self.at, self.is_over = text, "", 0, False

    def more(self) -> bool:
        """Read on, twice as much for a long element, so that another try stays cheap; return False at the end."""
        left = len(self.buffer) - self.at
        if self.is_over or left > LONGEST_ELEMENT:
            return False
        chunk = self.text.read(max(CHUNK, left))
        self.is_over = not chunk
        self.buffer, self.at = self.buffer[self.at :] + chunk, 0
        return bool(chunk)

    def peek(self) -> str:
        """Return the next character that is not white space; empty at the end."""
        while True:
            match = SPACE.match(self.buffer, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.buffer) or not self.more():
                return self.buffer[self.at : self.at + 1]

    def skip(self, character: str) -> bool:
        if self.peek() != character:
            return False
        self.at += 1
        return True

    def value(self) -> JsonValue:
        """Return the next whole value; raises ValueError or RecursionError."""
        self.peek()
        while True:
            try:
                found: JsonValue
                found, end = DECODER.raw_decode(self.buffer, self.at)
            except ValueError:
                if not self.more():
                    raise
                continue
            # a number may go on in what was not read yet
            if end == len(self.buffer) and self.more():
                continue
            self.at = end
            return found


DECODER: Final = json.JSONDecoder()


def read_elements(text: TextIO, keys: Collection[str] = ()) -> Iterator[JsonValue]:
    """Yield the elements of the file's list, or of lists under `keys`; raises ValueError or RecursionError."""
    window = Window(text)
    if window.peek() == "[":
        yield from list_elements(window)
        return
    if not window.skip("{"):
        raise ValueError("neither a list nor an object")
    while window.peek() == '"':
        name = window.value()
        if not window.skip(":"):
            raise ValueError("no value after a key")
        if name in keys and window.peek() == "[":
            yield from list_elements(window)
        else:
            window.value()
        window.skip(",")


def list_elements(window: Window) -> Iterator[JsonValue]:
    window.skip("[")
    while window.peek() not in {"]", ""}:
        yield window.value()
        if not window.skip(",") and window.peek() != "]":
            raise ValueError("no comma between two elements")
    if not window.skip("]"):
        raise ValueError("the list does not end")


def read_objects(
    file: UploadedFile, read_object: Callable[[JsonObject], ImportedEntry], *keys: str
) -> Iterator[ImportedEntry]:
    """Yield the objects of a file; where it cannot be read further, a rejected row comes last."""
    elements = read_elements(file.text(), keys)
    while True:
        try:
            element = next(elements)
        except StopIteration:
            return
        except (ValueError, RecursionError):
            yield Rejected(BROKEN)
            return
        yield read_object(element) if isinstance(element, dict) else Rejected(NOT_AN_OBJECT)


def find_first(file: UploadedFile, *keys: str) -> JsonObject | None:
    """Return the first object of the list, to recognise the format."""
    if not file.is_json:
        return None
    try:
        element = next(read_elements(file.text(), keys), None)
    except (ValueError, RecursionError):
        return None
    return element if isinstance(element, dict) else None


def load_object(file: UploadedFile) -> JsonObject | None:
    """Load the file as one object, for formats whose parts refer to each other."""
    try:
        found = json.load(file.text())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
