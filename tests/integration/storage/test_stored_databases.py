"""A database of each release is migrated: every row stays, and people can list, search and read what they saved."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import inspect, text

from kept.config import Settings
from kept.domain.lifecycle import ProcessingStatus
from kept.domain.schema import SchemaState
from kept.services.accounts.users import list_users
from kept.storage import tables
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate, open_for_migration, read_schema_state
from support.builders.filled_database import SITE, fill_database
from support.builders.stored_databases import VERSIONS, restore_postgres, restore_sqlite
from support.fixtures.databases import DATABASES
from support.fixtures.transactions import reading
from support.servers.serving import run_kept

pytestmark = pytest.mark.requirement("Kept", "a database of each release is migrated without loss")

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture(params=DATABASES)
def stored_url(request: pytest.FixtureRequest, version: str, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return restore_sqlite(version, tmp_path)
    return restore_postgres(version, request.getfixturevalue("postgres_server"))


def read_rows(url: str) -> Rows:
    """Of the tables that both databases have; their words are shown by a search."""
    with open_for_migration(url) as connection:
        known = set(inspect(connection).get_table_names()) & tables.metadata.tables.keys()
        return {
            name: [dict(row) for row in connection.execute(text(f'SELECT * FROM "{name}"')).mappings()]
            for name in known
        }


@pytest.mark.parametrize("version", VERSIONS)
def test_every_row_of_a_release_is_there_after_the_migration(stored_url: str) -> None:
    url = Settings(database_url=stored_url).sqlalchemy_url
    before = read_rows(url)
    migrate(url)
    assert read_schema_state(url) is SchemaState.CURRENT
    after = read_rows(url)
    for name, rows in before.items():
        assert rows, name
        missing = [row for row in rows if not any(is_kept(row, found) for found in after[name])]
        assert missing == [], name


def is_kept(row: dict[str, Any], found: dict[str, Any]) -> bool:
    """Later versions may have added columns."""
    return all(found[name] == value for name, value in row.items())


@pytest.mark.parametrize("version", VERSIONS)
async def test_people_list_search_and_read_what_a_release_saved(stored_url: str, tmp_path: Path) -> None:
    migrate(Settings(database_url=stored_url).sqlalchemy_url)
    async with run_kept(Settings(database_url=stored_url, data_dir=tmp_path)) as kept:
        users = {user.name: user for user in await kept.kept.read(list_users)}
        ann, ben = [await kept.give_token(users[name]) for name in ("ann", "ben")]

        listed = {item["url"]: item for item in (await ann.get("/api/v1/items?limit=100")).data}
        harbour = listed[f"{SITE}/harbour"]
        assert (harbour["title"], harbour["tags"]) == ("The harbour", ["reise", "seaside"])
        assert {item["processing_status"] for item in listed.values()} == set(ProcessingStatus)
        [shared] = (await ben.get("/api/v1/items?library_id=all")).data
        assert (shared["url"], shared["note"]) == (harbour["url"], "For the team: a lantern")

        for words, url in (
            ("ferry sold", "harbour"),
            ("shoals", "pilots"),
            ("sext", "pilots"),
            ("tag:later", "pending"),
        ):
            found = (await ann.get(f"/api/v1/search?q={words.replace(' ', '+')}")).data
            assert [item["url"] for item in found] == [f"{SITE}/{url}"], words
        [article] = (await ann.get(f"/api/v1/media/{harbour['media_id']}/fragments")).data["fragments"]
        assert "The ferry has been sold." in article["html_sanitized"]
        marked = (await ann.get("/api/v1/highlights")).data
        assert {one["note"] for one in marked} == {None, "a barometer"}


async def test_a_database_to_store_has_rows_in_every_table(database: Database, tmp_path: Path) -> None:
    await fill_database(database, tmp_path)
    with reading(database) as tx:
        empty = [name for name in tables.metadata.tables if tx.execute(text(f'SELECT 1 FROM "{name}"')).first() is None]
    assert empty == []
