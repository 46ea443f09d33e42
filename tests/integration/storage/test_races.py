"""Two processes that write as fast as they can to one SQLite file."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from kept.storage import tables
from kept.storage.database.engine import Database
from support.builders import rows
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("000", "SC-006")

WRITES = 1000
WRITER = Path(__file__).parents[2] / "support" / "servers" / "racing_writer.py"


async def test_two_processes_with_a_thousand_racing_writes_each_lose_none(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with writing(database) as tx:
        user_id, _ = rows.insert_user(tx)
        preferences = {"user_id": user_id, "values": {"count": 0}, "updated_at": rows.AT}
        tx.execute(tables.preferences.insert(), preferences)
    command = [sys.executable, str(WRITER), sqlite_url, str(WRITES)]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE, text=True) for name in ("a", "b")]
    complaints = [writer.communicate(timeout=120)[1] for writer in writers]
    assert complaints == ["", ""]
    with reading(database) as tx:
        assert tx.execute(select(tables.preferences.c["values"])).scalar_one() == {"count": 2 * WRITES}
        assert tx.execute(select(func.count()).select_from(tables.hosts)).scalar_one() == 2 * WRITES
    await database.close()
