"""Two processes that write as fast as they can to one SQLite file."""

import subprocess
import sys

from sqlalchemy import func, select

from kept.storage import tables
from kept.storage.database.engine import Database

WRITES = 1000

WRITER = """
import asyncio, sys
from sqlalchemy import select, update
from kept.storage import tables
from kept.clock import utc_now
from kept.storage.database.engine import Database

async def main(url, name):
    database = Database(url, durability="normal")
    async def one(number):
        async with database.write() as tx:
            # read, then write: the pattern that fails when a transaction begins deferred
            count = (await tx.execute(select(tables.preferences.c["values"]))).scalar_one()["count"]
            await tx.execute(update(tables.preferences).values({"values": {"count": count + 1}}))
            await tx.execute(tables.hosts.insert().values(name=f"{name}-{number}", next_at=utc_now()))
    for start in range(0, %d, 20):
        await asyncio.gather(*(one(number) for number in range(start, start + 20)))
    await database.close()

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def test_two_processes_with_a_thousand_racing_writes_each_lose_none(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    async with database.write() as tx:
        from support.rows import AT, insert_user

        user_id, _ = await insert_user(tx)
        await tx.execute(tables.preferences.insert().values(user_id=user_id, values={"count": 0}, updated_at=AT))
    command = [sys.executable, "-c", WRITER % WRITES, sqlite_url]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE, text=True) for name in ("a", "b")]
    complaints = [writer.communicate(timeout=120)[1] for writer in writers]
    assert complaints == ["", ""]
    async with database.read() as tx:
        assert (await tx.execute(select(tables.preferences.c["values"]))).scalar_one() == {"count": 2 * WRITES}
        assert (await tx.execute(select(func.count()).select_from(tables.hosts))).scalar_one() == 2 * WRITES
    await database.close()
