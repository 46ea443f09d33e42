"""The next few of many rows."""

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def take_rows(rows: Iterable[T], number: int) -> list[T]:
    return list(islice(rows, number))
