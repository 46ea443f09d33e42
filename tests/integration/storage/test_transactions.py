"""Transactions on SQLite: what a commit waits for, and that a connection comes back whole whatever happened on it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError, OperationalError

from kept.clock import utc_now
from kept.ids import new_id
from kept.storage import tables
from kept.storage.database.engine import AsyncConnection, Database
from kept.storage.database.prepared import Prepared

ADD_USER = Prepared(tables.users.insert())
SYNCHRONOUS = {1: "normal", 2: "full"}


async def add_user(tx: AsyncConnection, name: str) -> None:
    row = {"id": new_id(), "name": name, "password_hash": "-", "is_admin": False, "created_at": utc_now()}
    await ADD_USER.run(tx, row)


async def add_users(database: Database, *names: str) -> None:
    async with database.write() as tx:
        for name in names:
            await add_user(tx, name)


async def break_a_promise(database: Database) -> None:
    """A reference that leads nowhere, found out at the commit."""
    async with database.write() as tx:
        await tx.execute(text("PRAGMA defer_foreign_keys = ON"))
        await tx.execute(tables.url_aliases.insert().values(url="https://site.example/", media_id=new_id()))


async def count_users(database: Database) -> int:
    async with database.read() as tx:
        return int((await tx.execute(select(func.count()).select_from(tables.users))).scalar_one())


async def read_durability(tx: AsyncConnection) -> str:
    return SYNCHRONOUS[(await tx.execute(text("PRAGMA synchronous"))).scalar_one()]


async def test_a_write_waits_for_the_disk_unless_it_says_that_it_need_not(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    asked = []
    for durability in (None, "normal", None, "full"):
        async with database.write(durability) as tx:
            asked.append(await read_durability(tx))
    assert asked == ["full", "normal", "full", "full"]
    await database.close()


async def test_a_workers_writes_never_wait_for_the_disk(sqlite_url: str) -> None:
    database = Database(sqlite_url, durability="normal")
    async with database.write() as tx:
        assert await read_durability(tx) == "normal"
    await database.close()


async def test_what_raises_is_undone_and_the_next_transaction_goes_on(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(IntegrityError):
        await add_users(database, "ann", "ann")
    await add_users(database, "bob")
    assert await count_users(database) == 1
    await database.close()


async def test_a_commit_that_fails_is_undone_and_the_next_transaction_goes_on(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(IntegrityError):
        await break_a_promise(database)
    await add_users(database, "bob")
    assert await count_users(database) == 1
    await database.close()


async def add_by_sqlalchemy(database: Database, name: str) -> None:
    row = {"id": new_id(), "name": name, "password_hash": "-", "is_admin": False, "created_at": utc_now()}
    async with database.write() as tx:
        await tx.execute(tables.users.insert().values(row))


@pytest.mark.parametrize("add", [add_users, add_by_sqlalchemy])
async def test_who_is_cancelled_at_any_moment_leaves_the_database_usable(
    sqlite_url: str, add: Callable[[Database, str], Awaitable[None]]
) -> None:
    """SQLAlchemy gives a connection up that was cancelled under it; whoever comes next gets another."""
    database = Database(sqlite_url)
    for number in range(60):
        task = asyncio.ensure_future(add(database, f"user{number}"))
        for _ in range(number % 30):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled() or task.exception() is None
    async with asyncio.timeout(10):
        await add(database, "bob")
    async with database.read() as tx:
        assert "bob" in (await tx.execute(select(tables.users.c.name))).scalars().all()
    await database.close()


async def test_who_is_cancelled_while_waiting_to_begin_leaves_no_transaction_open(sqlite_url: str) -> None:
    one, other = Database(sqlite_url), Database(sqlite_url)
    async with one.write() as tx:
        await add_user(tx, "ann")
        waiting = asyncio.create_task(add_users(other, "bob"))
        await asyncio.sleep(0.1)  # until it waits in its thread
        waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled()
    await add_users(other, "eve")
    assert await count_users(one) == 2
    for database in (one, other):
        await database.close()


async def test_a_reader_cannot_write(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(OperationalError, match="readonly"):
        async with database.read() as tx:
            await add_user(tx, "ann")
    assert await count_users(database) == 0
    await database.close()
