"""A disk that is full or read-only, a clock that jumps: what people see of it, and that it passes by itself."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import psutil
import pytest

from support.chaos.fleet import Mode, Shape
from support.chaos.site import PageKind
from support.chaos.using import FleetInUse, eventually, explain, use_fleet
from support.clock import Clock
from support.servers.commands import kept

HOUR: Final = 3600.0


def set_immutable(fleet: FleetInUse, *, on: bool) -> None:
    """As near to a disk that became read-only as can be had: files that are open can no longer be written either."""
    data = fleet.fleet.folder / "data"
    paths = [data / "kept.db", data / "kept.db-wal", data, *(path for path in data.rglob("*") if path.is_dir())]
    done = subprocess.run(["chattr", "+i" if on else "-i", *map(str, paths)], capture_output=True, text=True)
    if on and done.returncode != 0:
        set_immutable(fleet, on=False)
        pytest.skip(f"A READ-ONLY DISK CANNOT BE HAD HERE: this is not tested ({done.stderr.strip()})")


async def test_on_a_disk_that_became_read_only_reading_goes_on_and_saving_is_refused(embedded: FleetInUse) -> None:
    ann = embedded.person()
    before = await embedded.save()
    await embedded.require_all([before])
    set_immutable(embedded, on=True)
    try:
        refused = await ann.post("/api/v1/items", {"url": embedded.add_page().page.url})
        ready = await ann.get("/readyz")
        read = await ann.get("/api/v1/items")
    finally:
        set_immutable(embedded, on=False)
    assert explain(refused) == (503, "E_UNAVAILABLE")
    assert ready.status == 503
    assert set(ready.data["problems"]) == {"the database cannot be written", "the blob store cannot be written"}
    assert read.status == 200

    await eventually(embedded.is_ready)
    await embedded.require_all([before, await embedded.save()])
    assert embedded.fleet.read_errors() == []


# --- a full disk -------------------------------------------------------------------------------------------------


@pytest.fixture
async def on_a_small_disk(tmp_path: Path) -> AsyncIterator[FleetInUse]:
    """Its data folder is a file system of 24 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", str(disk)]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"NO DISK OF ITS OWN CAN BE MOUNTED HERE: a full one is not tested ({mounted.stderr.strip()})")
    try:
        async with use_fleet(Mode.SQLITE, Shape(workers=0), KEPT_DATA_DIR=str(disk)) as fleet:
            yield fleet
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):  # to the last page
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                pass
    return ballast


async def test_on_a_full_disk_reading_goes_on_saving_is_refused_and_room_makes_it_well(
    on_a_small_disk: FleetInUse,
) -> None:
    fleet, ann = on_a_small_disk, on_a_small_disk.person()
    before = [await fleet.save() for _ in range(3)]
    ballast = await asyncio.to_thread(fill, fleet.fleet.settings.data_dir)

    async def is_refused() -> bool:  # the write-ahead log may have some room left in it
        answer = await ann.post("/api/v1/items", {"url": fleet.add_page().page.url, "wait": False})
        return answer.status != 201 and explain(answer) == (503, "E_UNAVAILABLE")

    await eventually(is_refused)
    ready = await ann.get("/readyz")
    assert (ready.status, (await ann.get("/api/v1/items")).status) == (503, 200)

    ballast.unlink()
    await eventually(fleet.is_ready)
    await fleet.require_all([*before, await fleet.save()])
    assert fleet.fleet.read_errors() == []


def test_on_a_disk_that_is_read_only_from_the_start_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder can be made here")
    run = kept("serve", folder=tmp_path / "data" / "kept")
    assert run.returncode == 1
    assert "Traceback" not in run.stderr
    assert "cannot make the folder" in run.stderr


# --- the clock ---------------------------------------------------------------------------------------------------


def kill_worker(fleet: FleetInUse) -> None:
    [worker] = fleet.fleet.find_supervised_workers()
    psutil.Process(worker).kill()


@pytest.mark.parametrize("shift", [pytest.param(HOUR, marks=pytest.mark.long), -HOUR], ids=["forward", "back"])
async def test_a_clock_that_jumps_an_hour_while_work_is_in_flight_loses_and_delays_nothing(
    embedded: FleetInUse, clock: Clock, shift: float
) -> None:
    """The worker dies with leases of the old time in its hands, and the new one looks at them with the new clock."""
    saved = [await embedded.save(kind) for kind in (PageKind.SLOW, PageKind.SLOW, PageKind.PICTURED)]
    clock.set(shift)
    try:
        kill_worker(embedded)
        saved += [await embedded.save() for _ in range(2)]
        assert await embedded.is_ready()
        await embedded.require_all(saved)
    finally:
        clock.set(0)
    await embedded.require_all([await embedded.save()])
