"""Upgrades: from nothing, on a populated database, from several processes, and not from the future."""

import re
import signal
import subprocess
import sys
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
from kept.domain.schema import SchemaState, SchemaTooNew, SchemaTooOld
from kept.ids import new_id
from kept.storage import tables
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import (
    create_migration_engine,
    is_current,
    migrate,
    open_for_migration,
    prepare,
    read_schema_state,
)
from kept.storage.migrations.triggers import drop_triggers
from support.builders import rows
from support.fixtures.databases import copy_postgres
from support.fixtures.migrations import become_next_version, write_next_version
from support.fixtures.transactions import reading, writing
from support.servers.local_servers import wait_until

ADD_TO_MEDIA = 'op.add_column("media", sa.Column("added_later", sa.Text()))'
ADD_TO_ITEMS = 'op.add_column("items", sa.Column("added_later", sa.Text()))'
# On SQLite, changing a table means copying it.
REBUILD = (
    'recreate = "always" if op.get_context().dialect.name == "sqlite" else "never"',
    'for table in ("media", "fragments", "transitions", "users"):',
    "    with op.batch_alter_table(table, recreate=recreate) as batch:",
    '        batch.add_column(sa.Column("added_later", sa.Text()))',
)
MIGRATE = "import pathlib, sys; from kept.storage.migrations import schema; \
schema.MIGRATIONS = pathlib.Path(sys.argv[1]); schema.migrate(sys.argv[2])"


def is_not_words(name: str | None, kind: str, _parents: object) -> bool:
    """The search index is in tables of each database's own kind; the tests of search show that it is there."""
    return kind != "table" or not (name or "").startswith(("item_words", "card_words", "page_words", "highlight_words"))


def url_for(database_url: str) -> str:
    return Settings(database_url=database_url).sqlalchemy_url


def test_a_migrated_database_is_current_and_an_older_or_an_empty_one_is_not(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = url_for(empty_database_url)
    assert not is_current(url)
    migrate(url)
    assert is_current(url)
    become_next_version(monkeypatch, tmp_path, ADD_TO_MEDIA)
    assert not is_current(url)
    assert read_schema_state(url) is SchemaState.OLDER
    with pytest.raises(SchemaTooOld):
        prepare(url, auto_migrate=False)
    prepare(url, auto_migrate=True)
    assert is_current(url)


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
        drop_triggers(connection)
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


def test_an_upgrade_that_is_killed_in_the_middle_changes_nothing(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = url_for(empty_database_url)
    migrate(url)
    killed = write_next_version(tmp_path / "killed", ADD_TO_MEDIA, "os.kill(os.getpid(), signal.SIGKILL)")
    done = subprocess.run([sys.executable, "-c", MIGRATE, str(killed), url], timeout=60)
    assert done.returncode == -signal.SIGKILL
    with open_for_migration(url) as connection:
        assert "added_later" not in {column["name"] for column in inspect(connection).get_columns("media")}
    assert read_schema_state(url) is SchemaState.CURRENT
    become_next_version(monkeypatch, tmp_path, ADD_TO_MEDIA)
    migrate(url)
    assert read_schema_state(url) is SchemaState.CURRENT


async def test_rows_triggers_and_references_survive_the_rebuilding_of_tables(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children and triggers would be lost without care."""
    url = url_for(empty_database_url)
    migrate(url)
    await populate(url)
    become_next_version(monkeypatch, tmp_path, *REBUILD)
    migrate(url)

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


async def populate(url: str) -> None:
    database = Database(url)
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
        rows.insert_item(tx, library_id, media_id)
        rows.insert_fragment(tx, media_id)
    await database.close()


def test_an_upgrade_that_a_writer_was_in_the_way_of_is_run_again(
    postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old process that goes on writing holds one table and wants another, and the upgrade the other way round."""
    address = copy_postgres(postgres_server)
    url = url_for(address)
    migrate(url)
    become_next_version(monkeypatch, tmp_path, ADD_TO_MEDIA, ADD_TO_ITEMS)
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
