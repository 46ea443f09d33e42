"""A temporary file: what lists all files of an archive stays in memory up to a size, and goes to disk beyond."""

from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

SPOOL_BYTES: Final = 4 * 1024 * 1024


def open_spool() -> BinaryIO:
    return cast("BinaryIO", SpooledTemporaryFile(SPOOL_BYTES))
