"""`kept serve` runs on uvloop, the tests and the workers on asyncio's own loop: children must start in both."""

import asyncio
from pathlib import Path

import pytest
import uvloop

from kept.clock import utc_now
from kept.config import Settings
from kept.content.images.format import CleanImage
from kept.domain.imported import FolderUse
from kept.subprocesses.images import ImagePool
from kept.subprocesses.imports import FileToRead, ImportReaders
from support.builders.pictures import picture


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


async def count_rows(path: Path) -> int:
    with path.open("rb") as stream:
        async with ImportReaders.from_settings(Settings()).start(stream) as reader:
            await reader.open(FileToRead(stream, "file", None, FolderUse.TAGS, utc_now()))
            return len(await reader.next_rows(10))


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_child_process_reads_an_imported_file_in_either_loop(loop: object, tmp_path: Path) -> None:
    (tmp_path / "urls").write_text("https://example.org/\nhttps://example.com/\n")
    with asyncio.Runner(loop_factory=loop) as runner:  # type: ignore[arg-type]
        assert runner.run(count_rows(tmp_path / "urls")) == 2
