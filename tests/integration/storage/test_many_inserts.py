"""What the triggers of an item cost does not grow with the library, whatever PostgreSQL knew when it planned them.

SQLite is not asked: it plans a trigger by the indexes alone.
"""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import delete, text, update

from kept.storage import tables
from kept.storage.database.engine import Connection, Database
from support.builders import rows
from support.fixtures.transactions import writing

pytestmark = [
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
    pytest.mark.requirement("Kept", "a search costs what one's own library makes it cost (`./bench search --crowd`)"),
]

# Of the rows that a change of one item looks at; some twenty are needed.
MOST_READ = 60
ROWS_READ = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"


@pytest.fixture
def person(database: Database) -> tuple[UUID, UUID]:
    """A user and their library."""
    with writing(database) as tx:
        return rows.insert_user(tx)


def insert_items(tx: Connection, library_id: UUID, numbers: range) -> None:
    media = {"kind": "web_article", "source_url": "https://example.org/", "metadata": {}, "processing_attempts": 0}
    media |= {"enrichment_status": "succeeded", "processing_status": "pending", "version": 1}
    times = {"created_at": rows.AT, "updated_at": rows.AT}
    ids = [UUID(int=number + 1) for number in numbers]
    tx.execute(tables.media.insert(), [{"id": each} | media | times for each in ids])
    item = {"library_id": library_id, "url": "https://example.org/", "updated_at": rows.AT}
    late = [rows.AT + timedelta(seconds=number) for number in numbers]
    items = [{"id": each, "media_id": each, "created_at": at} | item for each, at in zip(ids, late, strict=True)]
    tx.execute(tables.items.insert(), items)


def learn_statistics(database: Database) -> None:
    with database.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))


def change_items(tx: Connection, user_id: UUID, library_id: UUID, ids: list[UUID]) -> None:
    """Whatever triggers look at."""
    state = {"user_id": user_id, "is_favourite": True, "is_archived": False, "progress": 0, "updated_at": rows.AT}
    for each in ids:
        of_media, of_item = tables.media.c.id == each, tables.items.c.id == each
        tx.execute(update(tables.media).where(of_media).values(title="Read", processing_status="extracting"))
        tx.execute(tables.reading_states.insert().values(state | {"media_id": each}))
        tx.execute(tables.tags.insert().values(id=each, library_id=library_id, name=str(each)))
        tx.execute(tables.item_tags.insert().values(item_id=each, tag_id=each))
        tx.execute(update(tables.items).where(of_item).values(title="Own"))
        tx.execute(delete(tables.items).where(of_item))


def count_rows_read(tx: Connection) -> int:
    return int(tx.execute(text(ROWS_READ)).scalar_one())


@pytest.mark.parametrize("known", ["nothing", "that it was empty", "one item"])
def test_a_change_of_an_item_does_not_read_the_library(
    database: Database, person: tuple[UUID, UUID], known: str
) -> None:
    _, library_id = person
    if known == "one item":
        with writing(database) as tx:
            insert_items(tx, library_id, range(5_000, 5_001))
    if known != "nothing":
        learn_statistics(database)
    with writing(database) as tx:
        insert_items(tx, library_id, range(1_000))
        before = count_rows_read(tx)
        insert_items(tx, library_id, range(1_000, 1_200))
        inserted = count_rows_read(tx)
        change_items(tx, *person, [UUID(int=number) for number in range(1, 101)])
        changed = count_rows_read(tx)
    assert (inserted - before) / 200 < MOST_READ
    assert (changed - inserted) / 600 < MOST_READ
