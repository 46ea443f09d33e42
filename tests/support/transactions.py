"""Transactions for arranging and asserting in a test: on its own thread, committed when the block ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from kept.storage.database.engine import Connection, Database


@contextmanager
def writing(database: Database) -> Iterator[Connection]:
    with database.writer.begin() as tx:
        yield tx


@contextmanager
def reading(database: Database) -> Iterator[Connection]:
    with database.reader.connect() as tx:
        yield tx
