"""Values come back from both databases as they went in, and rows as the values they stand for."""

from dataclasses import fields
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Table, select
from sqlalchemy.exc import StatementError

from kept.domain.item import Item, ItemFilter, ReadingState
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.ids import new_id, new_media_id
from kept.storage import items, media, tables
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection, Database
from support.builders import rows

NOON = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)


def user(name: str, **changed: object) -> dict[str, object]:
    row = {"id": new_id(), "name": name, "password_hash": "-", "is_admin": False, "created_at": NOON}
    return row | changed


@pytest.mark.parametrize("row", [user("ann"), user("bob", is_admin=True)])
async def test_a_row_comes_back_as_it_went_in(database: Database, row: dict[str, object]) -> None:
    assert await database.write(insert_and_read, tables.users, row) == row


def insert_and_read(tx: Connection, table: Table, row: dict[str, object]) -> dict[str, object]:
    tx.execute(table.insert(), row)
    return dict(tx.execute(select(table).where(table.c.id == row["id"])).mappings().one())


async def test_json_and_nothing_survive_the_way(database: Database) -> None:
    row: dict[str, object] = dict.fromkeys(tables.media.c.keys()) | {
        "id": uuid4(),
        "kind": "web_article",
        "source_url": "https://site.example/",
        "metadata": {"og:title": "Grüße", "n": [1, None]},
        "enrichment_status": "pending",
        "processing_status": "pending",
        "processing_attempts": 0,
        "version": 1,
        "is_private": False,
        "accepts_documents": True,
        "created_at": NOON,
        "updated_at": NOON,
    }
    assert await database.write(insert_and_read, tables.media, row) == row


async def test_an_instant_without_a_time_zone_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="time zone"):
        await database.write(insert_and_read, tables.users, user("ann", created_at=NOON.replace(tzinfo=None)))


async def test_an_upsert_is_spelt_for_each_dialect_and_counts_its_rows(database: Database) -> None:
    def ensure(tx: Connection, row: dict[str, object]) -> int:
        return int(tx.execute(upsert(tx, tables.users).on_conflict_do_nothing(), row).rowcount)

    assert [await database.write(ensure, user("ann")) for _ in range(2)] == [1, 0]


async def test_the_card_a_save_answers_with_is_the_one_the_list_shows(database: Database) -> None:
    user_id, library_id, media_id = await database.write(keep_a_page)

    def read_cards(tx: Connection) -> None:
        card = items.find_card_of_media(tx, library_id, media_id, user_id)
        [listed] = items.list_cards(tx, user_id, ItemFilter((library_id,)), after=None, limit=5)
        assert card is not None
        assert items.find_card(tx, card.item.id, user_id) == card == listed
        assert card.reading.progress == 0.5
        assert card.tags == ("one", "two")

    await database.read(read_cards)


def keep_a_page(tx: Connection) -> tuple[UUID, UUID, UUID]:
    user_id, library_id = rows.insert_user(tx)
    media_id = new_media_id()
    media.insert_media(tx, media_id, "https://site.example/", ProcessingStatus.PENDING, NOON)
    item = Item(new_id(), library_id, media_id, "https://site.example/", user_id, None, None, None, NOON, NOON)
    items.insert_item(tx, item)
    items.add_tags(tx, library_id, item.id, ["two", "one"])
    items.put_reading_state(tx, user_id, media_id, ReadingState(progress=0.5), NOON)
    return user_id, library_id, media_id


@pytest.mark.parametrize(("kind", "table"), [(Item, tables.items), (Media, tables.media)])
def test_a_row_read_by_position_has_its_fields_in_the_tables_order(kind: type, table: Table) -> None:
    assert [field.name for field in fields(kind)] == table.c.keys()
