"""`kept serve` runs on uvloop, the tests and the workers on asyncio's own loop: children must start in both."""

import asyncio

import pytest
import uvloop

from kept.config import Settings
from kept.content.images.cleaning import CleanImage
from kept.subprocesses.image_pool import ImagePool
from support.pictures import picture


async def clean_one() -> object:
    pool = ImagePool.from_settings(Settings())
    try:
        return await pool.clean(picture(size=(900, 700)))
    finally:
        await pool.close()


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_child_process_cleans_an_image_in_either_loop(loop: object) -> None:
    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]
        assert isinstance(runner.run(clean_one()), CleanImage)
