"""The kinds of file a whole page comes in."""

from enum import StrEnum


class FileKind(StrEnum):
    HTML = "html"
    MHTML = "mhtml"
