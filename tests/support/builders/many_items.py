"""A library of any number of items without articles, written as an import writes them."""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import update

from kept.domain.item import Item, ReadingState
from kept.domain.lifecycle import ProcessingStatus
from kept.ids import new_id, new_media_id
from kept.storage import bulk, libraries
from kept.storage.database.engine import Database
from kept.storage.search import index
from kept.storage.tables import media
from support.fixtures.transactions import writing

BEGIN: Final = datetime(2020, 1, 1, tzinfo=UTC)
BATCH: Final = 500
READY: Final = ProcessingStatus.READY_FOR_READING


def fill_with_items(
    database: Database, user_id: UUID, count: int, *, host: str = "many.example", ready: int = 0
) -> None:
    """Item n is at https://<host>/n, a minute later than the one before; each second one is archived, each tenth a
    favourite, each has one of 20 tags. `ready`: so many of the oldest are shown as articles, though they have none."""
    for first in range(0, count, BATCH):
        with writing(database) as tx:
            library_id = libraries.get_default_library_id(tx, user_id)
            rows = {number: new_media_id() for number in range(first, min(first + BATCH, count))}
            pages = [(media_id, f"https://{host}/{number}") for number, media_id in rows.items()]
            bulk.insert_media(tx, pages, BEGIN, is_private=False)
            done = [media_id for number, media_id in rows.items() if number < ready]
            tx.execute(update(media).where(media.c.id.in_(done)).values(processing_status=READY))
            bulk.insert_aliases(tx, pages)
            made = [make_item(library_id, user_id, number, media_id, host) for number, media_id in rows.items()]
            bulk.insert_items(tx, made)
            bulk.add_tags(tx, [(library_id, item.id, f"tag-{rows_at % 20}") for rows_at, item in enumerate(made)])
            states = {
                media_id: ReadingState(is_favourite=number % 10 == 0, is_archived=number % 2 == 1)
                for number, media_id in rows.items()
            }
            bulk.put_reading_states(tx, user_id, states, BEGIN)
            index.index_items(tx, [item.id for item in made])


def make_item(library_id: UUID, user_id: UUID, number: int, media_id: UUID, host: str) -> Item:
    at = BEGIN + timedelta(minutes=number)
    title = f"Number {number} of the harbour"
    return Item(new_id(), library_id, media_id, f"https://{host}/{number}", user_id, title, None, None, at, at)
