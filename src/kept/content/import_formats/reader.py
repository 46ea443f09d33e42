"""What every format has: a name, a way to tell its files from others, and a way to read them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kept.content.import_formats.uploaded_file import UploadedFile
from kept.domain.imported import ImportedEntry


@dataclass(frozen=True, slots=True)
class FileReader:
    """`recognises` looks at the beginning and the names inside; `read` may be called again and yields the same."""

    name: str
    label: str
    recognises: Callable[[UploadedFile], bool]
    read: Callable[[UploadedFile], Iterator[ImportedEntry]]
