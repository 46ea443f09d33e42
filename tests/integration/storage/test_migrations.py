"""Upgrades: from nothing, on a populated database, from several processes, and not from the future."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import delete, inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from kept.config import Settings
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.schema import SchemaState, SchemaTooNew
from kept.ids import new_id
from kept.storage import articles, bulk, captures, highlights, lifecycles, media, tables
from kept.storage.database.engine import Database
from kept.storage.database.schema import (
    create_migration_engine,
    is_current,
    migrate,
    open_for_migration,
    prepare,
    read_schema_state,
)
from kept.storage.database.triggers import lift_triggers
from kept.storage.queue import queue
from kept.storage.search import index
from kept.storage.search.fields import CardText
from support import rows
from support.databases import copy_postgres
from support.servers import wait_until
from support.transactions import reading, writing

REBUILD = """
from alembic import op
import sqlalchemy as sa

revision, down_revision, branch_labels, depends_on = "test_rebuild", "{head}", None, None

def upgrade():
    recreate = "always" if op.get_context().dialect.name == "sqlite" else "never"
    for table in ("media", "fragments", "transitions", "users"):
        with op.batch_alter_table(table, recreate=recreate) as batch:
            batch.add_column(sa.Column("added_later", sa.Text()))
"""


def is_not_words(name: str | None, kind: str, _parents: object) -> bool:
    """The search index is in tables of each database's own kind; the tests of search show that it is there."""
    return kind != "table" or not (name or "").startswith(("item_words", "card_words", "page_words", "highlight_words"))


def url_for(database_url: str) -> str:
    return Settings(database_url=database_url).sqlalchemy_url


def test_a_migrated_database_is_current_and_an_older_or_an_empty_one_is_not(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    assert not is_current(url)
    migrate(url)
    assert is_current(url)
    database = Database(url)
    with writing(database) as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert not is_current(url)
    database.dispose()


def test_an_empty_database_gets_exactly_the_tables_of_today(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    assert read_schema_state(url) is SchemaState.EMPTY
    migrate(url)
    assert read_schema_state(url) is SchemaState.CURRENT
    engine = create_migration_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "include_name": is_not_words})
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


def test_partial_indexes_have_the_conditions_that_the_tables_state(empty_database_url: str) -> None:
    """Alembic's comparison does not look at conditions."""
    url = url_for(empty_database_url)
    migrate(url)
    with open_for_migration(url) as connection:
        option = f"{connection.dialect.name}_where"
        stated = {
            index.name: read_condition(index.dialect_kwargs[option])
            for table in tables.metadata.sorted_tables
            for index in table.indexes
            if index.dialect_kwargs.get(option) is not None
        }
        found = {
            index["name"]: read_condition(index["dialect_options"][option])
            for table in tables.metadata.sorted_tables
            for index in inspect(connection).get_indexes(table.name)
            if option in index.get("dialect_options", {})
        }
    assert stated == found
    assert "ix_jobs_claim" in stated


def read_condition(written: object) -> str:
    """Without what PostgreSQL adds when it shows a condition: parentheses, and the types of constants."""
    return re.sub(r"[()]|::[a-z ]+(?=\W|$)", "", str(written))


def test_a_second_upgrade_changes_nothing(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url)
    migrate(url)
    assert read_schema_state(url) is SchemaState.CURRENT


def test_a_server_puts_back_triggers_that_a_current_database_lacks(tmp_path: Path) -> None:
    url, names = f"sqlite:///{tmp_path}/kept.db", text("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    migrate(url)
    engine = create_migration_engine(url)
    with engine.begin() as connection:
        laid = set(connection.execute(names).scalars())
        lift_triggers(connection)
        assert set(connection.execute(names).scalars()) < laid
    prepare(url, auto_migrate=True)
    with engine.begin() as connection:
        assert set(connection.execute(names).scalars()) == laid
    engine.dispose()


def test_processes_that_upgrade_at_once_take_turns(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(migrate, [url] * 4)) == [None] * 4
    assert read_schema_state(url) is SchemaState.CURRENT


def test_a_database_from_the_future_is_left_alone(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url)
    engine = create_migration_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    assert read_schema_state(url) is SchemaState.NEWER
    with pytest.raises(SchemaTooNew, match="newer Kept"):
        migrate(url)


async def test_rows_triggers_and_references_survive_the_rebuilding_of_tables(
    empty_database_url: str, tmp_path: Path
) -> None:
    """On SQLite, changing a table means copying it: children and triggers would be lost without care."""
    url = url_for(empty_database_url)
    migrate(url)
    await populate(url)

    engine = create_migration_engine(url)
    with engine.connect() as connection:
        head = MigrationContext.configure(connection).get_current_revision()
    engine.dispose()
    (tmp_path / "rebuild.py").write_text(REBUILD.format(head=head))
    migrate(url, version_folders=(tmp_path,))

    database = Database(url)
    with reading(database) as tx:
        columns = {column["name"] for column in inspect(tx).get_columns("media")}
        assert "added_later" in columns
        for table in (tables.users, tables.media, tables.items, tables.fragments, tables.transitions):
            assert len(tx.execute(select(table.c[table.c.keys()[0]])).all()) == 1, table.name
    for change in (update(tables.fragments).values(html_sanitized=""), update(tables.transitions).values(to_state="x")):
        with pytest.raises(DBAPIError, match="never changes"), writing(database) as tx:
            tx.execute(change)
    with pytest.raises(DBAPIError), writing(database) as tx:
        rows.insert_fragment(tx, new_id())
    with writing(database) as tx:
        tx.execute(delete(tables.media))
        assert tx.execute(select(tables.items.c.id)).all() == []
    await database.close()


async def test_pages_that_stayed_pending_without_a_job_end_as_card_only(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url, target="0005")
    database = Database(url)
    with writing(database) as tx:
        stuck, waiting, ready = rows.insert_media(tx), rows.insert_media(tx), rows.insert_media(tx)
        tx.execute(update(tables.media).where(tables.media.c.id == ready).values(processing_status="ready_for_reading"))
        for kind, subject in ((JobKind.INGEST, waiting), (JobKind.RENDER, stuck)):
            job = NewJob(kind, subject, None, Priority.PERSON, rows.AT, None, None)
            row = queue.new_row(job, is_queued_behind=False, now=rows.AT)
            del row["first_failure"]  # a later column
            tx.execute(tables.jobs.insert().values(**row))
    await database.close()

    migrate(url)

    database = Database(url)
    with reading(database) as tx:
        found = {row.id: row.processing_status for row in tx.execute(select(tables.media))}
        assert found == {stuck: "card_only", waiting: "pending", ready: "ready_for_reading"}
        assert [line.to_state for line in lifecycles.list_transitions(tx, stuck)] == ["pending", "card_only"]
    with pytest.raises(DBAPIError), writing(database) as tx:
        tx.execute(update(tables.media).values(processing_status="something else"))
    with pytest.raises(DBAPIError), writing(database) as tx:
        tx.execute(update(tables.media).values(enrichment_status="something else"))
    await database.close()


async def test_urls_that_were_kept_in_another_spelling_still_lead_to_their_pages(empty_database_url: str) -> None:
    old, new = "https://example.org/%7eann/%c3%a9?%2f", "https://example.org/~ann/%C3%A9?%2F"
    url = url_for(empty_database_url)
    migrate(url, target="0005")
    database = Database(url)
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        page, first, second = rows.insert_media(tx, canonical_url=old), rows.insert_media(tx), rows.insert_media(tx)
        aliases = {old: page, "https://example.org/%41": first, "https://example.org/A": second, "mailto:%41": first}
        bulk.insert_aliases(tx, [(media_id, alias) for alias, media_id in aliases.items()])
        bulk.insert_private_pages(tx, {(library_id, old): first})
    await database.close()

    migrate(url)

    database = Database(url)
    with reading(database) as tx:
        found = {row.url: row.media_id for row in tx.execute(select(tables.url_aliases))}
        # of two pages with one spelling, the one that had it keeps it
        assert found == {
            new: page,
            "https://example.org/%41": first,
            "https://example.org/A": second,
            "mailto:%41": first,
        }
        assert media.find_canonical_owner(tx, second, new) == (page, False)
        assert media.find_page(tx, library_id, new) == first
    await database.close()


async def test_what_was_there_before_highlights_stays_and_can_be_highlighted(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url, target="0007")
    await populate(url)

    migrate(url)

    database = Database(url)
    with writing(database) as tx:
        [user_id], [media_id] = tx.execute(select(tables.users.c.id)).one(), tx.execute(select(tables.media.c.id)).one()
        made = rows.insert_highlight(tx, user_id, media_id)
        index.index_highlights(tx, [made])
        for columns in ({"colour": "mauve"}, {"start_offset": 3}, {"start_offset": 3, "end_offset": 3}):
            with pytest.raises(DBAPIError), tx.begin_nested():
                highlights.update_highlight(tx, made.id, **columns)
    with reading(database) as tx:
        assert highlights.list_of_media(tx, user_id, [media_id]) == {media_id: [made]}
        assert articles.find_fragment(tx, media_id) is not None
    with writing(database) as tx:
        tx.execute(delete(tables.media))
        assert tx.execute(select(tables.highlights.c.id)).all() == []
        assert tx.execute(select(tables.search_highlights.c.no)).all() == []
        assert tx.execute(text("SELECT count(*) FROM highlight_words")).scalar_one() == 0
    await database.close()


OLD_TRIGGERS = {
    "sqlite": ["CREATE TRIGGER items_leave_delete AFTER DELETE ON items BEGIN SELECT RAISE(ABORT, 'old'); END"],
    "postgresql": [
        "CREATE FUNCTION items_leave_delete() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'old'; END $$",
        "CREATE TRIGGER items_leave_delete AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION items_leave_delete()",
    ],
}


async def test_former_copies_leave_the_lists_of_apps_and_the_old_triggers_go(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url, target="0014")
    database = Database(url)
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        former, shown = [rows.insert_item(tx, library_id, rows.insert_media(tx)) for _ in range(2)]
        captures.insert_earlier_copy(tx, former, shown)
        tx.execute(update(tables.synced_items).values(is_listed=True))
        for statement in OLD_TRIGGERS[tx.dialect.name]:
            tx.execute(text(statement))
    await database.close()

    migrate(url)

    database = Database(url)
    with writing(database) as tx:
        listed = select(tables.synced_items.c.item_id).where(tables.synced_items.c.is_listed)
        assert tx.execute(listed).scalars().all() == [shown]
        tx.execute(delete(tables.items))
        gone = set(tx.execute(select(tables.item_tombstones.c.item_id)).scalars())
        assert gone == {former, shown}
    await database.close()


async def test_a_library_knows_the_numbers_of_what_it_held_before_and_of_what_moves(empty_database_url: str) -> None:
    url = url_for(empty_database_url)
    migrate(url, target="0017")
    await populate(url)

    migrate(url)

    database, held = Database(url), tables.library_numbers
    with writing(database) as tx:
        item, other = tx.execute(select(tables.items)).one(), rows.insert_media(tx)
        numbers = {row.media_id: row.no for row in tx.execute(select(tables.search_media))}
        item_no = tx.execute(select(tables.search_items.c.no)).scalar_one()
        assert tx.execute(select(held)).all() == [(item_no, item.library_id, numbers[item.media_id])]
        _, library_id = rows.insert_user(tx, "ben")
        tx.execute(update(tables.items).values(library_id=library_id, media_id=other))
        assert tx.execute(select(held)).all() == [(item_no, library_id, numbers[other])]
        tx.execute(delete(tables.items))
        assert tx.execute(select(held)).all() == []
    await database.close()


async def test_words_that_were_indexed_before_their_beginnings_are_found_in_place(tmp_path: Path) -> None:
    url = url_for(f"sqlite:///{tmp_path}/kept.db")
    migrate(url, target="0018")
    await populate(url)
    database = Database(url)
    card = CardText("The quick brown fox", "Über den faulen Hund", None, None, "https://example.org/")
    with writing(database) as tx:
        index.index_card(tx, tx.execute(select(tables.media.c.id)).scalar_one(), card)
    await database.close()

    migrate(url)

    database, count = Database(url), text("SELECT count(*) FROM card_words WHERE card_words MATCH :words")
    found = ['"quick brown"', '"qui" *', '"q" *', '{title} : "fox"', '{about} : "uber den"', '"example org"']
    with reading(database) as tx:
        for words in found:
            assert tx.execute(count, {"words": words}).scalar_one() == 1, words
        for words in ('"brown quick"', '"ui" *', '{about} : "fox"'):
            assert tx.execute(count, {"words": words}).scalar_one() == 0, words
    with writing(database) as tx:
        tx.execute(delete(tables.media))
        assert tx.execute(text("SELECT count(*) FROM card_words")).scalar_one() == 0
    await database.close()


async def populate(url: str) -> None:
    database = Database(url)
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        rows.insert_item(tx, library_id, media_id)
        rows.insert_fragment(tx, media_id)
    await database.close()


def test_an_upgrade_that_a_writer_was_in_the_way_of_is_run_again(postgres_server: str) -> None:
    """An old process that goes on writing holds one table and wants another, and the upgrade the other way round."""
    address = copy_postgres(postgres_server)
    url = url_for(address)
    migrate(url, target="0003")
    with psycopg.connect(address) as writer, psycopg.connect(address, autocommit=True) as observer:
        # it gives up last: the upgrade is the one that is ended
        writer.execute("SET deadlock_timeout = '30s'")
        writer.execute("LOCK TABLE items IN ROW EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as pool:
            upgrading = pool.submit(migrate, url)
            wait_until(lambda: is_waiting(observer), what="the upgrade's wait for items")
            writer.execute("LOCK TABLE media IN ROW EXCLUSIVE MODE")
            writer.commit()
            upgrading.result(60)
    assert read_schema_state(url) is SchemaState.CURRENT


def is_waiting(observer: "psycopg.Connection[tuple[Any, ...]]") -> bool:
    found = observer.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'items'::regclass")
    return bool(found.fetchone() != (0,))


def test_an_upgrade_of_a_current_database_locks_no_table_that_others_write_to(postgres_server: str) -> None:
    """Every start of a server passes there."""
    address = copy_postgres(postgres_server)
    migrate(url_for(address))
    with psycopg.connect(address) as writer:
        for table in ("media", "items", "item_tags", "fragments", "transitions"):
            writer.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(migrate, url_for(address)).result(30)
