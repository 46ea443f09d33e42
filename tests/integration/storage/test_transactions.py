"""Units of work: whole or not at all, run again after a lost race, and a connection that stays usable."""

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from kept.clock import utc_now
from kept.domain.errors import LostRace, Unavailable
from kept.ids import new_id
from kept.storage import tables
from kept.storage.database import engine, sqlite
from kept.storage.database.engine import MAX_TRIES, POSTGRESQL_POOL, SQLITE_READERS, Connection, Database
from support.builders import rows
from support.fixtures.transactions import writing
from support.servers.local_servers import free_port

pytestmark = pytest.mark.requirement("Kept", "a failed or cancelled transaction leaves the database usable")

SYNCHRONOUS = {1: "normal", 2: "full"}


@pytest.fixture
async def on_sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    database = Database(sqlite_url)
    yield database
    await database.close()


def add_users(tx: Connection, *names: str) -> None:
    for name in names:
        row = {"id": new_id(), "name": name, "password_hash": "-", "is_admin": False, "created_at": utc_now()}
        tx.execute(tables.users.insert(), row)


def list_names(tx: Connection) -> list[str]:
    return sorted(tx.execute(select(tables.users.c.name)).scalars())


def read_durability(tx: Connection) -> str:
    return SYNCHRONOUS[tx.execute(text("PRAGMA synchronous")).scalar_one()]


class Gate:
    """A unit of work that stays in its transaction until it is let go."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def pass_through(self, tx: Connection, *names: str) -> None:
        add_users(tx, *names)
        self.wait(tx)

    def wait(self, tx: Connection) -> None:
        tx.execute(text("SELECT 1"))
        self.entered.set()
        assert self.opened.wait(30)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.opened.set()


async def until_set(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 30)


# --- commit and rollback -------------------------------------------------------------------------------------------


async def test_what_returns_is_committed_and_its_result_handed_over(database: Database) -> None:
    def add_and_list(tx: Connection, name: str, *, other: str) -> list[str]:
        add_users(tx, name, other)
        return list_names(tx)

    assert await database.write(add_and_list, "ann", other="bob") == ["ann", "bob"]
    assert await database.read(list_names) == ["ann", "bob"]


async def test_what_raises_is_undone_and_the_next_transaction_goes_on(database: Database) -> None:
    def add_and_fail(tx: Connection) -> None:
        add_users(tx, "ann")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(add_and_fail)
    await database.write(add_users, "bob")
    assert await database.read(list_names) == ["bob"]


async def test_a_commit_that_fails_is_undone_and_the_next_transaction_goes_on(on_sqlite: Database) -> None:
    def break_a_promise(tx: Connection) -> None:
        """A reference that leads nowhere, found out at the commit."""
        tx.execute(text("PRAGMA defer_foreign_keys = ON"))
        tx.execute(tables.url_aliases.insert().values(url="https://site.example/", media_id=new_id()))

    with pytest.raises(LostRace):
        await on_sqlite.write(break_a_promise)
    await on_sqlite.write(add_users, "bob")
    assert await on_sqlite.read(list_names) == ["bob"]


async def test_a_caller_with_a_thread_of_its_own_runs_units_in_it(database: Database) -> None:
    database.run_write(add_users, "ann")
    assert database.run_read(list_names) == ["ann"]
    assert database.run_read(lambda tx: threading.current_thread()) is threading.current_thread()
    assert await database.read(lambda tx: threading.current_thread()) is not threading.current_thread()


# --- what a commit waits for ---------------------------------------------------------------------------------------


async def test_a_servers_writes_wait_for_the_disk(on_sqlite: Database) -> None:
    assert await on_sqlite.write(read_durability) == "full"


async def test_a_workers_writes_never_wait_for_the_disk(sqlite_url: str) -> None:
    database = Database(sqlite_url, durability="normal")
    assert await database.write(read_durability) == "normal"
    await database.close()


# --- readers and writers -------------------------------------------------------------------------------------------


async def test_a_reader_cannot_write(on_sqlite: Database) -> None:
    with pytest.raises(Unavailable, match="readonly"):
        await on_sqlite.read(add_users, "ann")
    assert await on_sqlite.read(list_names) == []


async def test_readers_never_wait_for_the_writer(database: Database, gate: Gate) -> None:
    await database.write(add_users, "ann")
    writing_bob = asyncio.create_task(database.write(gate.pass_through, "bob"))
    await until_set(gate.entered)
    async with asyncio.timeout(10):
        for _ in range(20):
            assert await database.read(list_names) == ["ann"]
    assert not writing_bob.done()
    gate.opened.set()
    await writing_bob
    assert await database.read(list_names) == ["ann", "bob"]


async def test_a_read_sees_one_moment_however_long_it_takes(on_sqlite: Database, gate: Gate) -> None:
    def list_twice(tx: Connection) -> tuple[list[str], list[str]]:
        before = list_names(tx)
        gate.wait(tx)
        return before, list_names(tx)

    reading_twice = asyncio.create_task(on_sqlite.read(list_twice))
    await until_set(gate.entered)
    await on_sqlite.write(add_users, "ann")
    gate.opened.set()
    assert await reading_twice == ([], [])


# --- races ---------------------------------------------------------------------------------------------------------


async def test_a_unit_that_lost_a_race_is_run_again_and_leaves_nothing_of_its_first_try(database: Database) -> None:
    tries: list[str] = []

    def add_one_that_is_free(tx: Connection, names: list[str]) -> str:
        name = names[len(tries)]
        tries.append(name)
        add_users(tx, f"beside {name}", name)
        return name

    await database.write(add_users, "ann")
    assert await database.write(add_one_that_is_free, ["ann", "bob"]) == "bob"
    assert tries == ["ann", "bob"]
    assert await database.read(list_names) == ["ann", "beside bob", "bob"]


async def test_a_unit_that_loses_every_time_is_a_conflict(database: Database) -> None:
    tries: list[int] = []

    def add_ann(tx: Connection) -> None:
        tries.append(1)
        add_users(tx, "ann")

    await database.write(add_users, "ann")
    with pytest.raises(LostRace):
        await database.write(add_ann)
    assert len(tries) == MAX_TRIES
    await database.write(add_users, "bob")


async def test_what_the_database_refuses_for_another_reason_is_not_tried_again(database: Database) -> None:
    tries: list[int] = []

    def add_nonsense(tx: Connection) -> None:
        tries.append(1)
        rows.insert_media(tx, kind="video")

    with pytest.raises(IntegrityError):
        await database.write(add_nonsense)
    assert len(tries) == 1


# --- cancelled callers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 2])
async def test_who_is_cancelled_at_any_moment_leaves_the_database_usable(database: Database, times: int) -> None:
    """And what they wrote is whole: both rows of the unit, or none."""
    for number in range(60):
        task = asyncio.create_task(database.write(add_users, f"user {number}", f"pair {number}"))
        for _ in range(number % 30):
            await asyncio.sleep(0)
        await cancel(task, times)
        assert task.cancelled() or task.exception() is None
    async with asyncio.timeout(10):
        await database.write(add_users, "bob")
        names = await database.read(list_names)
    assert "bob" in names
    users = {name.removeprefix("user ") for name in names if name.startswith("user ")}
    assert users == {name.removeprefix("pair ") for name in names if name.startswith("pair ")}


async def cancel(task: "asyncio.Task[None]", times: int) -> None:
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    await asyncio.wait({task})


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelling_ends_the_waiting_and_never_the_work(database: Database, gate: Gate, times: int) -> None:
    task = asyncio.create_task(database.write(gate.pass_through, "ann"))
    await until_set(gate.entered)
    await cancel(task, times)
    assert task.cancelled()
    gate.opened.set()
    await database.write(add_users, "bob")
    assert await until_listed(database, 2) == ["ann", "bob"]


async def until_listed(database: Database, number: int) -> list[str]:
    """PostgreSQL has threads enough to run the next unit beside the one whose caller left."""
    async with asyncio.timeout(10):
        while len(names := await database.read(list_names)) < number:
            await asyncio.sleep(0.01)
    return names


async def test_who_is_cancelled_while_waiting_to_begin_leaves_no_transaction_open(sqlite_url: str) -> None:
    one, other = Database(sqlite_url), Database(sqlite_url)
    with writing(one) as tx:
        add_users(tx, "ann")
        waiting = asyncio.create_task(other.write(add_users, "bob"))
        await asyncio.sleep(0.1)  # until it waits in its thread
        await cancel(waiting, 1)
        assert waiting.cancelled()
    await other.write(add_users, "eve")
    assert await one.read(list_names) == ["ann", "bob", "eve"], "a unit that was begun is run to its end"
    for database in (one, other):
        await database.close()


async def test_who_is_cancelled_while_waiting_for_a_connection_takes_none_with_them(
    on_sqlite: Database, gate: Gate
) -> None:
    first = asyncio.create_task(on_sqlite.write(gate.wait))
    await until_set(gate.entered)
    waiting = [asyncio.create_task(on_sqlite.write(add_users, f"user {number}")) for number in range(5)]
    await asyncio.sleep(0)
    for task in waiting:
        await cancel(task, 2)
    gate.opened.set()
    await first
    async with asyncio.timeout(10):
        await on_sqlite.write(add_users, "bob")
    assert await on_sqlite.read(list_names) == ["bob"], "who had not begun never does"


# --- when the database cannot be had -------------------------------------------------------------------------------


async def test_nobody_waits_longer_than_the_limit_for_a_free_connection(
    database: Database, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine.WAIT_SECONDS == 30.0
    monkeypatch.setattr(engine, "WAIT_SECONDS", 0.2)
    size = SQLITE_READERS if database.is_sqlite else POSTGRESQL_POOL
    holding = [asyncio.create_task(database.read(gate.wait)) for _ in range(size)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="in use"):
        await database.read(list_names)
    gate.opened.set()
    await asyncio.gather(*holding)
    assert await database.read(list_names) == []


async def test_a_write_waits_its_turn_and_no_longer_than_the_limit(
    on_sqlite: Database, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "WAIT_SECONDS", 0.2)
    holding = asyncio.create_task(on_sqlite.write(gate.wait))
    await until_set(gate.entered)
    with pytest.raises(Unavailable, match="in use"):
        await on_sqlite.write(add_users, "ann")
    gate.opened.set()
    await holding
    await on_sqlite.write(add_users, "bob")
    assert await on_sqlite.read(list_names) == ["bob"]


@contextmanager
def held_by_another(url: str) -> Iterator[None]:
    other = Database(url)
    with writing(other):
        yield
    other.writer.dispose()


async def test_a_file_that_another_process_holds_too_long_is_an_outage(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 100)
    database = Database(sqlite_url)
    with held_by_another(sqlite_url), pytest.raises(Unavailable, match="locked"):
        await database.write(add_users, "ann")
    await database.write(add_users, "ann")
    await database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_a_database_that_is_away_is_an_outage(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    urls = {
        "sqlite": f"sqlite:///{folder}/kept.db",
        "postgresql": f"postgresql+psycopg://kept:secret@127.0.0.1:{free_port()}/kept",
    }
    database = Database(urls[kind])
    shutil.rmtree(folder, ignore_errors=True)
    for run in (database.read, database.write):
        with pytest.raises(Unavailable) as caught:
            await run(list_names)
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)
    await database.close()


async def test_errors_do_not_show_what_people_save(database: Database) -> None:
    def ask_for_nonsense(tx: Connection) -> None:
        tx.execute(text("SELECT * FROM nowhere WHERE url = :url"), {"url": "https://site.example/private-link"})

    with pytest.raises(DBAPIError) as caught:
        await database.write(ask_for_nonsense)
    assert "nowhere" in str(caught.value)
    assert "private-link" not in f"{caught.value} {caught.value!r}"


async def test_a_unit_still_at_work_is_waited_for_when_the_database_is_closed(sqlite_url: str, gate: Gate) -> None:
    database = Database(sqlite_url)
    task = asyncio.create_task(database.write(gate.pass_through, "ann"))
    await until_set(gate.entered)
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    gate.opened.set()
    await asyncio.gather(task, closing)
    after = Database(sqlite_url)
    assert await after.read(list_names) == ["ann"]
    await after.close()
