"""Databases with the tables in which the handlers of tests leave their marks."""

from collections.abc import AsyncIterator

import pytest

from kept.storage.database.engine import Database
from support.builders.jobs import make_marks


@pytest.fixture
def marked(database: Database) -> Database:
    make_marks(database)
    return database


@pytest.fixture
async def simple(sqlite_url: str) -> AsyncIterator[Database]:
    """For what is the same whatever the database."""
    database = Database(sqlite_url)
    make_marks(database)
    yield database
    await database.close()
