"""A process that writes rows while it backs the database up and its wake-up thread looks at the file:
python watched_writer.py DATABASE ROUNDS NAME. It prints the name of each row once it is committed."""

import asyncio
import sys
import tempfile
from pathlib import Path

from kept.clock import utc_now
from kept.jobs.wakeup import wake_on_commits
from kept.storage import tables
from kept.storage.backup.create import write_backup
from kept.storage.database.engine import Connection, Database

ROWS_PER_ROUND = 25


def insert_row(tx: Connection, name: str) -> None:
    tx.execute(tables.hosts.insert().values(name=name, next_at=utc_now()))


async def write_rows(database: Database, names: list[str]) -> None:
    for name in names:
        await database.write(insert_row, name)
        print(name, flush=True)


def back_up(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "backup.tar"
        write_backup(path, path.parent, target, kept_version="1.0", now=utc_now(), on_blob=lambda done, total: None)


async def main(path: Path, rounds: int, name: str) -> None:
    database = Database(f"sqlite:///{path}", durability="normal")
    for number in range(rounds):
        woken = asyncio.Event()
        names = [f"{name}-{number}-{row}" for row in range(ROWS_PER_ROUND)]
        async with asyncio.TaskGroup() as tasks, wake_on_commits(database, woken.set):
            tasks.create_task(write_rows(database, names))
            await asyncio.to_thread(back_up, path)
            await woken.wait()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
