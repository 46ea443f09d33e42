"""Prepared statements say and do what SQLAlchemy's own execution of them would, on both databases."""

from dataclasses import fields
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import bindparam, select, update
from sqlalchemy.exc import IntegrityError

from kept.domain.item import Item, ReadingState
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.media import Media
from kept.ids import new_id, new_media_id
from kept.services.accounts.create_user import create_user
from kept.storage import items, libraries, media, tables
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.database.prepared import Prepared
from kept.storage.media import EMPTY_MEDIA, insert_for

NOON = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)
ADD_USER = Prepared(tables.users.insert())
BY_NAME = select(tables.users).where(tables.users.c.name == bindparam("name"))


def user(name: str, **changed: object) -> dict[str, object]:
    row = {"id": new_id(), "name": name, "password_hash": "-", "is_admin": False, "created_at": NOON}
    return row | changed


@pytest.mark.parametrize("row", [user("ann"), user("bob", is_admin=True)])
async def test_a_row_comes_back_as_sqlalchemy_reads_it(database: Database, row: dict[str, object]) -> None:
    async with database.write() as tx:
        assert await ADD_USER.run(tx, row) == 1
        found = await Prepared(BY_NAME).find(tx, row)
        by_sqlalchemy = (await tx.execute(BY_NAME, {"name": row["name"]})).one()
    assert found == tuple(by_sqlalchemy) == tuple(row[column.name] for column in tables.users.c)


async def test_json_and_nothing_survive_the_way(database: Database) -> None:
    row = EMPTY_MEDIA | {
        "id": uuid4(),
        "kind": "web_article",
        "source_url": "https://site.example/",
        "metadata": {"og:title": "Grüße", "n": [1, None]},
        "enrichment_status": "pending",
        "processing_status": "pending",
        "processing_attempts": 0,
        "version": 1,
        "is_private": False,
        "created_at": NOON,
        "updated_at": NOON,
    }
    async with database.write() as tx:
        await Prepared(tables.media.insert()).run(tx, row)
        found = await Prepared(select(tables.media).where(tables.media.c.id == bindparam("key"))).find(
            tx, {"key": row["id"]}
        )
    assert found == tuple(row.values())


async def test_the_card_a_save_answers_with_is_the_one_the_list_shows(database: Database) -> None:
    user_id, media_id = await keep_a_page(database)
    async with database.read() as tx:
        library_id = await libraries.get_default_library_id(tx, user_id)
        card = await items.find_card_of_media(tx, library_id, media_id, user_id)
        [listed] = await items.list_cards(tx, user_id, items.ItemFilter(library_id), after=None, limit=5)
        assert card is not None
        assert await items.find_card(tx, card.item.id, user_id) == card == listed
    assert card.reading.progress == 0.5
    assert card.tags == ("one", "two")


async def keep_a_page(database: Database) -> tuple[UUID, UUID]:
    async with database.write() as tx:
        ann = await create_user(tx, name="ann", password_hash="-", is_admin=False, now=NOON)
        library_id = await libraries.get_default_library_id(tx, ann.id)
        media_id = new_media_id()
        await media.insert_media(tx, media_id, "https://site.example/", ProcessingStatus.PENDING, NOON)
        item = Item(new_id(), library_id, media_id, "https://site.example/", ann.id, None, None, None, NOON, NOON)
        await items.insert_item(tx, item)
        await items.add_tags(tx, library_id, item.id, ["two", "one"])
        await items.put_reading_state(tx, ann.id, media_id, ReadingState(progress=0.5), NOON)
    return ann.id, media_id


async def test_a_conflict_is_sqlalchemys_integrity_error_and_rolls_everything_back(database: Database) -> None:
    with pytest.raises(IntegrityError):
        await add_twice(database)
    async with database.read() as tx:
        assert await Prepared(BY_NAME).list(tx, {"name": "ann"}) == []


async def add_twice(database: Database) -> None:
    async with database.write() as tx:
        await ADD_USER.run(tx, user("ann"))
        await ADD_USER.run(tx, user("ann"))


async def test_an_upsert_is_spelt_for_each_dialect_and_counts_its_rows(database: Database) -> None:
    ensure = Prepared(lambda dialect: insert_for(dialect, tables.users).on_conflict_do_nothing())
    async with database.write() as tx:
        assert [await ensure.run(tx, user("ann")) for _ in range(2)] == [1, 0]


async def test_a_forgotten_value_is_an_error_and_never_null(database: Database) -> None:
    rename = Prepared(update(tables.users).where(tables.users.c.name == bindparam("old")).values(name=bindparam("new")))
    async with database.write() as tx:
        await ADD_USER.run(tx, user("ann"))
        with pytest.raises(KeyError):
            await rename.run(tx, {"new": "eve"})
        assert await rename.run(tx, {"old": "ann", "new": "eve"}) == 1


async def test_prepared_and_other_statements_share_one_transaction(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        await add_and_fail(database)
    async with database.read() as tx:
        assert (await tx.execute(select(tables.users))).all() == []


async def add_and_fail(database: Database) -> None:
    async with database.write() as tx:
        await ADD_USER.run(tx, user("ann"))
        await tx.execute(tables.users.insert(), user("bob"))
        assert await count(tx) == 2
        raise ZeroDivisionError


async def count(tx: AsyncConnection) -> int:
    return len(await Prepared(select(tables.users.c.id)).list(tx, {}))


@pytest.mark.parametrize(("kind", "table"), [(Item, tables.items), (Media, tables.media)])
def test_a_row_read_by_position_has_its_fields_in_the_tables_order(kind: type, table: object) -> None:
    assert [field.name for field in fields(kind)] == [column.name for column in table.columns]  # type: ignore[attr-defined]
