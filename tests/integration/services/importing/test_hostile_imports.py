"""Files made to stop the worker: each ends with a reason, in bounded time and memory, and others go on meanwhile."""

import asyncio
import json
import resource
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from kept.config import Limits
from kept.domain.imported import FolderUse
from kept.domain.importing import ImportState
from kept.services.importing.running import Purpose, check_file
from kept.storage.database.engine import Database
from support.builders.importing import ImportingOwner, make_importing_owner
from support.hostile.hostile_files import HOSTILE_FILES, export_naming_one_article

pytestmark = pytest.mark.requirement("Kept", "a hostile import file ends with a reason, in bounded time and memory")

MEGABYTE: Final = 1024 * 1024


def resident_peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@asynccontextmanager
async def longest_pause() -> AsyncIterator[list[float]]:
    """How long the event loop, in which everybody else's work goes on, did nothing else."""
    pauses = [0.0]

    async def watch() -> None:
        while True:
            started = time.monotonic()
            await asyncio.sleep(0.01)
            pauses[0] = max(pauses[0], time.monotonic() - started - 0.01)

    watching = asyncio.create_task(watch())
    try:
        yield pauses
        await asyncio.sleep(0.05)  # so that a pause that ends now is seen
    finally:
        watching.cancel()


@pytest.fixture
def sqlite_owner(sqlite_url: str, tmp_path: Path) -> ImportingOwner:
    return make_importing_owner(Database(sqlite_url), tmp_path)


async def test_an_export_that_names_one_large_article_again_and_again_takes_no_memory(
    sqlite_owner: ImportingOwner,
) -> None:
    data = export_naming_one_article(600, 31 * MEGABYTE)
    assert len(data) < 100_000
    before = resident_peak_bytes()
    async with longest_pause() as pauses:
        progress = await sqlite_owner.run(data)
    assert progress.found.state is ImportState.FAILED
    assert progress.found.problem == "The file is too large when unpacked."
    assert resident_peak_bytes() - before < 300 * MEGABYTE
    assert pauses[0] < 2


async def test_many_articles_of_allowed_size_stream_in_bounded_memory(sqlite_owner: ImportingOwner) -> None:
    before = resident_peak_bytes()
    progress = await sqlite_owner.run(export_naming_one_article(60, 8 * MEGABYTE))
    assert (progress.found.state, progress.counts.imported) == (ImportState.DONE, 60)
    assert resident_peak_bytes() - before < 300 * MEGABYTE


@pytest.mark.parametrize("name", HOSTILE_FILES)
async def test_a_file_that_is_slow_to_read_ends_and_holds_nobody_up(name: str, sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(import_read_seconds=5))
    started = time.monotonic()
    async with longest_pause() as pauses:
        progress = await owner.run(HOSTILE_FILES[name])
    assert progress.found.state in {ImportState.DONE, ImportState.FAILED}
    assert time.monotonic() - started < 60
    assert pauses[0] < 2


@pytest.mark.parametrize("name", HOSTILE_FILES)
async def test_checking_a_file_goes_the_same_way(name: str, sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(import_read_seconds=5))
    path = tmp_path / "file"
    path.write_bytes(HOSTILE_FILES[name])
    purpose = Purpose(owner.viewer.user_id, owner.library_id, FolderUse.TAGS, None)
    async with longest_pause() as pauses:
        with path.open("rb") as stream:
            await check_file(owner.importer, stream, "file", purpose, now=owner.importer.now())
    assert pauses[0] < 2


async def test_a_file_that_takes_too_long_is_told_so_and_its_process_is_gone(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(import_read_seconds=0.001))
    progress = await owner.run("https://example.org/\n")
    assert progress.found.state is ImportState.FAILED
    assert progress.found.problem == "Reading the file took too long."


async def test_a_file_that_takes_too_much_memory_is_told_so(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(import_memory_bytes=200 * MEGABYTE))
    bookmarks = [{"content": {"url": f"https://example.org/{number}"}, "tags": []} for number in range(400_000)]
    progress = await owner.run(json.dumps({"bookmarks": bookmarks}))
    assert progress.found.state is ImportState.FAILED
    assert "too large" in (progress.found.problem or "") or "memory" in (progress.found.problem or "")


async def test_a_large_resumed_import_skips_what_is_done_without_running_out_of_time(
    sqlite_url: str, tmp_path: Path
) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path)
    made = await owner.bring("".join(f"https://example.org/{number}\n" for number in range(400)))
    while not await owner.advance(made.id, ends_at=time.monotonic()):
        pass
    progress = await owner.look(made.id)
    assert (progress.found.state, progress.counts.imported) == (ImportState.DONE, 400)
