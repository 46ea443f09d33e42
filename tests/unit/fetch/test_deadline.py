"""Deadlines by one timer: they end work, and only the work they are for."""

import asyncio
import time

import pytest

from kept.fetch.deadline import Deadlines


def never(_: float) -> bool:
    return False


async def test_work_that_ends_in_time_is_left_alone() -> None:
    deadlines = Deadlines()
    with deadlines.start(10, never):
        await asyncio.sleep(0)
    deadlines.close()


async def test_work_that_takes_too_long_ends_with_a_time_out() -> None:
    deadlines = Deadlines()
    started = time.monotonic()
    with pytest.raises(TimeoutError), deadlines.start(0.1, never):
        await asyncio.Event().wait()
    assert 0.1 <= time.monotonic() - started < 5
    await asyncio.sleep(0)  # nothing is left of the cancellation
    deadlines.close()


async def test_work_that_is_stuck_ends_before_its_time() -> None:
    deadlines = Deadlines()
    with pytest.raises(TimeoutError), deadlines.start(1000, lambda _: True):
        await asyncio.Event().wait()
    deadlines.close()


async def test_a_cancellation_from_elsewhere_stays_one() -> None:
    deadlines = Deadlines()
    entered = asyncio.Event()

    async def work() -> None:
        with deadlines.start(1000, never):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    deadlines.close()


async def test_a_cancellation_at_the_same_moment_stays_one() -> None:
    deadlines = Deadlines()
    task: asyncio.Task[None]

    def cancel_too(_: float) -> bool:
        task.cancel()
        return True

    async def work() -> None:
        with deadlines.start(1000, cancel_too):
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    with pytest.raises(asyncio.CancelledError):
        await task
    deadlines.close()


async def test_an_error_of_the_work_itself_passes_through() -> None:
    deadlines = Deadlines()
    with pytest.raises(ValueError, match="own"), deadlines.start(1000, never):
        raise ValueError("own")
    deadlines.close()


async def test_one_deadline_does_not_end_the_work_of_another() -> None:
    deadlines = Deadlines()
    release = asyncio.Event()

    async def patient() -> str:
        with deadlines.start(1000, never):
            await release.wait()
        return "done"

    task = asyncio.create_task(patient())
    with pytest.raises(TimeoutError), deadlines.start(0.01, never):
        await asyncio.Event().wait()
    release.set()
    assert await task == "done"
    deadlines.close()
