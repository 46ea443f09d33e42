"""A database that is away for a moment: people are told to come back, not that something broke."""

import asyncio
from pathlib import Path

from pydantic import SecretStr

from kept.config import Settings
from kept.storage.migrations.schema import migrate
from support.fixtures.databases import create_database
from support.servers.local_servers import own_postgres
from support.servers.serving import run_kept


async def test_while_the_database_is_away_the_answer_is_503_and_afterwards_all_is_well(tmp_path: Path) -> None:
    with own_postgres() as server:
        create_database(server.address, "kept")
        settings = Settings(database_url=SecretStr(f"{server.address}/kept"), data_dir=tmp_path)
        migrate(settings.sqlalchemy_url)
        async with run_kept(settings) as running:
            ann = await running.make_person("ann")
            assert (await ann.get("/api/v1/items")).status == 200
            await asyncio.to_thread(server.kill_hard)
            away = await ann.get("/api/v1/items")
            await asyncio.to_thread(server.start)
            back = await ann.get("/api/v1/items")
    assert (away.status, away.error_code, back.status) == (503, "E_UNAVAILABLE", 200)
    assert int(away.headers["Retry-After"]) > 0
