"""The process pool with real processes of a small program: what every user of it may rely on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from kept.subprocesses.frames import Frame, FrameError
from kept.subprocesses.pool import ProcessPool
from kept.subprocesses.process import MemoryExceeded, ProcessLost, WorkerProgram, choose_environment
from kept.subprocesses.tree import find_descendants
from support.fixtures.waiting import until

pytestmark = pytest.mark.requirement("004", "§8, §9 the child, its time and its end")

MIB = 1024 * 1024
ENVIRONMENT = {**choose_environment(), "PYTHONPATH": str(Path(__file__).parents[2])}
PROGRAM = partial(WorkerProgram, "support.servers.echo_worker", 256 * MIB, environment=ENVIRONMENT)
SECONDS = 30.0

MakePool = Callable[..., ProcessPool]


@pytest.fixture
async def make_pool() -> AsyncIterator[MakePool]:
    async with AsyncExitStack() as pools:

        def make(program: WorkerProgram | None = None, **options: Any) -> ProcessPool:
            start = (program or PROGRAM()).start
            pool = ProcessPool(start, **{"processes": 1, "idle_seconds": 60.0, **options})
            pools.push_async_callback(pool.close)
            return pool

        yield make


def echo(frame: Frame) -> Frame:
    return frame


async def ask(pool: ProcessPool, do: str = "echo", seconds: float = SECONDS, **header: Any) -> Frame:
    return await pool.ask(Frame({"do": do, **header}, b"body"), echo, seconds=seconds)


async def test_what_a_library_prints_is_no_answer(make_pool: MakePool) -> None:
    assert (await ask(make_pool(), "print")).body == b"body"


async def test_a_process_sees_nothing_of_how_it_was_started(make_pool: MakePool) -> None:
    environment = (await ask(make_pool())).header["environment"]
    assert not any(name.startswith("KEPT_") for name in environment)


async def test_a_process_retires_after_so_many_requests(make_pool: MakePool) -> None:
    pool = make_pool(max_requests=2)
    pids = [(await ask(pool)).header["pid"] for _ in range(3)]
    assert pids[0] == pids[1] != pids[2]


async def test_a_process_that_asks_for_it_is_replaced(make_pool: MakePool) -> None:
    pool = make_pool()
    last = (await ask(pool, "wear out")).header["pid"]
    assert not psutil.pid_exists(last)
    assert (await ask(pool)).header["pid"] != last


async def test_an_answer_that_is_refused_costs_the_process(make_pool: MakePool) -> None:
    pool = make_pool()
    first = (await ask(pool)).header["pid"]

    def refuse(frame: Frame) -> None:
        raise FrameError("no child of ours says so")

    with pytest.raises(ProcessLost, match="no child of ours"):
        await pool.ask(Frame({"do": "echo"}), refuse, seconds=SECONDS)
    assert not psutil.pid_exists(first)


async def test_a_process_that_dies_is_lost_and_its_last_words_are_known(make_pool: MakePool) -> None:
    with pytest.raises(ProcessLost) as lost:
        await ask(make_pool(), "complain and die")
    assert "it hurts" in lost.value.stderr


async def test_a_process_that_hangs_is_killed_with_whatever_it_started(make_pool: MakePool) -> None:
    pool = make_pool()
    pid = (await ask(pool, "start another", bytes=0)).header["pid"]
    (other,) = find_descendants(pid)
    with pytest.raises(TimeoutError):
        await ask(pool, "hang", seconds=0.2)
    assert not psutil.pid_exists(pid)
    await until(lambda: not other.is_running(), seconds=20)


async def test_a_process_has_no_more_memory_than_it_may(make_pool: MakePool) -> None:
    with pytest.raises(ProcessLost) as lost:
        await ask(make_pool(), "take memory", bytes=400 * MIB)
    assert "MemoryError" in lost.value.stderr


async def test_a_process_that_outgrows_its_memory_with_what_it_started_is_killed(make_pool: MakePool) -> None:
    pool = make_pool(PROGRAM(tree_memory_bytes=120 * MIB))
    asking = asyncio.create_task(ask(pool, "start another", bytes=150 * MIB))
    await until(lambda: any(find_descendants(pid) for pid in pool.pids), seconds=20)
    below = [process for pid in pool.pids for process in find_descendants(pid)]
    with pytest.raises(MemoryExceeded):
        await asking
    await until(lambda: not any(process.is_running() for process in below), seconds=20)


async def test_closing_ends_a_process_that_is_busy(make_pool: MakePool) -> None:
    pool = make_pool()
    asking = asyncio.create_task(ask(pool, "hang"))
    await until(lambda: bool(pool.pids), seconds=20)
    (pid,) = pool.pids
    await pool.close()
    with pytest.raises(ProcessLost):
        await asking
    assert not psutil.pid_exists(pid)


async def test_what_a_process_needed_is_cleaned_up_even_if_it_never_started(
    make_pool: MakePool, tmp_path: Path
) -> None:
    cleaned: list[bool] = []
    program = PROGRAM(folder=str(tmp_path / "absent"), clean_up=lambda: cleaned.append(True))
    with pytest.raises(ProcessLost):
        await ask(make_pool(program))
    assert cleaned == [True]


async def test_with_patience_quick_requests_share_a_process_and_a_slow_one_has_another_started(
    make_pool: MakePool,
) -> None:
    pool = make_pool(processes=2, patience_seconds=SECONDS)
    await ask(pool)
    answers = await asyncio.gather(*(ask(pool) for _ in range(4)))
    assert len({answer.header["pid"] for answer in answers}) == 1

    impatient = make_pool(processes=2, patience_seconds=0.05)
    first = (await ask(impatient)).header["pid"]
    hanging = asyncio.create_task(ask(impatient, "hang"))
    await asyncio.sleep(0)  # it takes the process
    assert (await ask(impatient)).header["pid"] != first
    hanging.cancel()


async def test_a_backlog_that_is_known_has_another_process_started_at_once(make_pool: MakePool) -> None:
    pool = make_pool(processes=2, patience_seconds=SECONDS)
    await ask(pool)
    pool.expect_backlog()
    answers = await asyncio.gather(*(ask(pool) for _ in range(4)))
    assert len({answer.header["pid"] for answer in answers}) == 2


async def test_whoever_waits_for_a_process_that_dies_gets_another(make_pool: MakePool) -> None:
    pool = make_pool(processes=2, patience_seconds=SECONDS)
    await ask(pool)
    dying, waiting = asyncio.create_task(ask(pool, "complain and die")), asyncio.create_task(ask(pool))
    with pytest.raises(ProcessLost):
        await dying
    assert (await waiting).body == b"body"
