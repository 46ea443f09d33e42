"""Files that wait to be imported take a bounded part of the disk."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from kept.clock import utc_now
from kept.config import Limits
from kept.domain.errors import Conflict
from kept.domain.importing import ImportState
from kept.jobs.notifier import NullNotifier
from kept.services.importing.imports import resume_import
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.engine import Database
from support.builders.importing import ImportingOwner, make_importing_owner, upload_import, work_off_imports
from support.fixtures.waiting import until
from support.servers.serving import Person, RunningKept

pytestmark = pytest.mark.requirement("Kept", "waiting uploads are bounded; one import of a user runs at a time")

DRY_RUN = "?dry_run=true"


def stored_files(folder: Path) -> int:
    return sum(1 for path in (folder / "blobs" / "imports").rglob("*") if path.is_file())


async def test_only_so_many_checked_files_of_one_person_wait(running: RunningKept, reader: Person) -> None:
    most = running.kept.settings.limits.max_waiting_imports
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
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(max_waiting_imports=2))
    failed = [await owner.run(b"\x00\x01") for _ in range(3)]
    assert [progress.found.state for progress in failed] == [ImportState.FAILED] * 3
    assert stored_files(tmp_path) == 2
    states = [(await owner.look(progress.found.id)).found.state for progress in failed]
    assert states == [ImportState.CANCELLED, ImportState.FAILED, ImportState.FAILED]


async def test_a_running_import_is_not_pushed_out(sqlite_url: str, tmp_path: Path) -> None:
    owner: ImportingOwner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(max_waiting_imports=1))
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


# --- bytes ----------------------------------------------------------------------------------------------------------


def make_file(size: int) -> bytes:
    line = b"https://example.org/\n"
    return line + b"\n" * (size - len(line))


async def test_the_files_of_one_person_that_wait_have_so_many_bytes_together(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(max_waiting_import_bytes=1000))
    await owner.run(make_file(600), start=False)
    with pytest.raises(Conflict, match="together"):
        await owner.bring(make_file(401), start=False)
    assert stored_files(tmp_path) == 1
    await owner.run(make_file(400), start=False)
    bob = make_importing_owner(owner.database, tmp_path, "bob", limits=Limits(max_waiting_import_bytes=1000))
    await bob.run(make_file(1000), start=False)
    assert stored_files(tmp_path) == 3


async def test_one_file_alone_may_be_larger_than_files_together(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(max_waiting_import_bytes=100))
    assert (await owner.run(make_file(5000))).found.state is ImportState.DONE


async def test_the_files_of_failed_imports_go_when_a_new_one_needs_their_bytes(sqlite_url: str, tmp_path: Path) -> None:
    owner = make_importing_owner(Database(sqlite_url), tmp_path, limits=Limits(max_waiting_import_bytes=1000))
    failed = [await owner.run(b"\x00" * 400) for _ in range(2)]
    await owner.run(make_file(600), start=False)
    states = [(await owner.look(progress.found.id)).found.state for progress in failed]
    assert states == [ImportState.CANCELLED, ImportState.FAILED]
    assert stored_files(tmp_path) == 2


# --- at one moment --------------------------------------------------------------------------------------------------


class MeetingBlobs(DiskBlobs):
    """Nobody's file is stored before everybody's is there: so all begin their import at the same moment."""

    def __init__(self, folder: Path, everybody: int) -> None:
        super().__init__(folder)
        self.meeting = asyncio.Barrier(everybody)

    async def put_file(self, key: str, file: BinaryIO, content_type: str) -> None:
        await super().put_file(key, file, content_type)
        await self.meeting.wait()


AT_ONCE = 8


async def test_of_imports_that_are_brought_at_one_moment_one_starts(database: Database, tmp_path: Path) -> None:
    owner = make_importing_owner(database, tmp_path)
    blobs = MeetingBlobs(tmp_path / "blobs", AT_ONCE)
    racing = replace(owner, importer=replace(owner.importer, blobs=blobs))
    files = (f"https://example.org/{number}\n" for number in range(AT_ONCE))
    outcomes = await asyncio.gather(*map(racing.bring, files), return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert [type(outcome) for outcome in refused] == [Conflict] * (AT_ONCE - 1)
    assert stored_files(tmp_path) == 1


async def test_of_checked_imports_that_are_started_at_one_moment_one_starts(database: Database, tmp_path: Path) -> None:
    owner = make_importing_owner(database, tmp_path)
    checked = [(await owner.run(f"https://example.org/{number}\n", start=False)).found.id for number in range(4)]

    starting = (resume_import(database, NullNotifier(), owner.viewer, key, now=utc_now()) for key in checked)
    outcomes = await asyncio.gather(*starting, return_exceptions=True)
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert [type(outcome) for outcome in refused] == [Conflict] * 3
