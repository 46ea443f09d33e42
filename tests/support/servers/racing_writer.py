"""A process that writes as fast as it can: python racing_writer.py URL WRITES NAME."""

import asyncio
import sys

from sqlalchemy import select, update

from kept.clock import utc_now
from kept.storage import tables
from kept.storage.database.engine import Connection, Database

AT_ONCE = 20


def count_up(tx: Connection, name: str) -> None:
    """Read, then write: the pattern that fails when a transaction begins deferred."""
    count = tx.execute(select(tables.preferences.c["values"])).scalar_one()["count"]
    tx.execute(update(tables.preferences).values({"values": {"count": count + 1}}))
    tx.execute(tables.hosts.insert().values(name=name, next_at=utc_now()))


async def main(url: str, writes: int, name: str) -> None:
    database = Database(url, durability="normal")
    for start in range(0, writes, AT_ONCE):
        numbers = range(start, start + AT_ONCE)
        await asyncio.gather(*(database.write(count_up, f"{name}-{number}") for number in numbers))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
