"""A text with one URL on each line, perhaps with a title after it; empty lines and those that begin with # are
ignored."""

import re
from collections.abc import Iterator
from typing import Final

from kept.content.import_formats.uploaded_file import FileReader, UploadedFile
from kept.domain.imported import ImportedEntry, ImportedLink, Rejected

LONGEST_LINE: Final = 10_000
URL: Final = re.compile(r"^[^\S\n]*+(?:[-*][^\S\n]++)?+<?https?://\S", re.IGNORECASE | re.MULTILINE)
BULLET: Final = re.compile(r"^[-*]\s+")
TOO_LONG: Final = "This line is too long to be a URL."


def recognises(file: UploadedFile) -> bool:
    is_text = not (file.is_binary or file.is_markup or file.is_json)
    return is_text and URL.search(file.head_text) is not None


def read(file: UploadedFile) -> Iterator[ImportedEntry]:
    text = file.text()
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            while (rest := text.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
            yield Rejected(TOO_LONG, line[:200])
            continue
        said = BULLET.sub("", line.strip("\ufeff \t\r\n"))
        if said and not said.startswith("#"):
            url, _, title = said.replace("\t", " ").partition(" ")
            yield ImportedLink(url.strip("<>"), title.strip() or None)


READER: Final = FileReader("urls", "URLs, one on each line", recognises, read)
