"""Files that wait to be imported take a bounded part of the disk."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kept.domain.errors import Conflict
from kept.domain.importing import ImportState
from kept.storage.database.engine import Database
from support.importing import ImportingOwner, make_importing_owner, upload_import, work_off_imports
from support.serving import Person, RunningKept
from support.waiting import until

DRY_RUN = "?dry_run=true"


def stored_files(folder: Path) -> int:
    return sum(1 for path in (folder / "blobs" / "imports").rglob("*") if path.is_file())


async def test_only_so_many_checked_files_of_one_person_wait(running: RunningKept, reader: Person) -> None:
    most = running.kept.settings.max_waiting_imports
    for number in range(most):
        assert (await upload_import(reader, f"https://example.org/{number}\n".encode(), DRY_RUN)).status == 202
        await work_off_imports(running)
    refused = await upload_import(reader, b"https://example.org/one-more\n", DRY_RUN)
    assert (refused.status, refused.error_code) == (409, "E_CONFLICT")
    assert stored_files(running.kept.settings.data_dir) == most
    bob = await running.make_person("bob")
    assert (await upload_import(bob, b"https://example.org/\n", DRY_RUN)).status == 202
    [*_, oldest] = (await reader.get("/api/v1/imports")).data
    assert (await reader.post(f"/api/v1/imports/{oldest['id']}/cancel")).status == 200
    assert (await upload_import(reader, b"https://example.org/one-more\n", DRY_RUN)).status == 202


async def test_the_file_of_a_failed_import_goes_when_a_new_one_needs_its_room(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, max_waiting_imports=2)
    failed = [await owner.run(b"\x00\x01") for _ in range(3)]
    assert [progress.found.state for progress in failed] == [ImportState.FAILED] * 3
    assert stored_files(tmp_path) == 2
    states = [(await owner.look(progress.found.id)).found.state for progress in failed]
    assert states == [ImportState.CANCELLED, ImportState.FAILED, ImportState.FAILED]


async def test_a_running_import_is_not_pushed_out(sqlite_url: str, tmp_path: Path) -> None:
    owner: ImportingOwner = make_importing_owner(Database(sqlite_url), tmp_path, max_waiting_imports=1)
    await owner.bring("https://example.org/\n")
    with pytest.raises(Conflict):
        await owner.bring("https://example.com/\n")


async def test_one_person_sends_only_two_files_at_once(running: RunningKept, reader: Person) -> None:
    gate = asyncio.Event()

    async def slow_file() -> AsyncIterator[bytes]:
        yield b"https://example.org/\n"
        await gate.wait()

    octets = {"Content-Type": "application/octet-stream"}
    sending = [asyncio.create_task(reader.send("/api/v1/imports", slow_file(), **octets)) for _ in range(2)]
    await until(lambda: running.kept.uploads._taken.total() == 2)
    refused = await upload_import(reader, b"https://example.org/\n")
    assert (refused.status, refused.error_code) == (429, "E_RATE_LIMITED")
    gate.set()
    assert sorted(answer.status for answer in await asyncio.gather(*sending)) == [202, 409]
    await work_off_imports(running)
    assert (await upload_import(reader, b"https://example.org/\n")).status == 202
