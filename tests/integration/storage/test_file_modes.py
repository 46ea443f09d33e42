"""What Kept stores is for nobody else on the machine, whatever the folder and the umask allow."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kept.config import Settings
from kept.services.maintenance.schema import prepare_schema
from kept.storage import users
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.engine import Database

pytestmark = pytest.mark.requirement("Kept", "files are private to the user Kept runs as")


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """One that everybody may look into, made by somebody whose new files everybody may read."""
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)
    before = os.umask(0o022)
    yield folder
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): oct(path.stat().st_mode & 0o777) for path in files}


async def test_the_database_and_its_journals_are_private(open_folder: Path) -> None:
    settings = Settings(data_dir=open_folder)
    prepare_schema(settings)
    database = Database(settings.sqlalchemy_url)
    await database.read(users.list_users)
    found = modes(open_folder)
    await database.close()
    assert {"kept.db", "kept.db-wal", "kept.db-shm"} <= found.keys()
    assert set(found.values()) == {"0o600"}


async def test_an_older_database_that_others_could_read_is_mended_at_the_start(open_folder: Path) -> None:
    settings = Settings(data_dir=open_folder)
    prepare_schema(settings)
    database = Database(settings.sqlalchemy_url)
    await database.read(users.list_users)
    for name in ("kept.db", "kept.db-wal", "kept.db-shm"):
        (open_folder / name).chmod(0o644)
    prepare_schema(settings)
    found = modes(open_folder)
    await database.close()
    assert set(found.values()) == {"0o600"}


async def test_blobs_are_private_and_older_ones_are_mended(open_folder: Path) -> None:
    blobs = DiskBlobs(open_folder / "blobs")
    await blobs.put("images/aa/new.webp", b"new", "image/webp")
    await blobs.put("images/aa/old.webp", b"old", "image/webp")
    blobs.path_of("images/aa/old.webp").chmod(0o644)
    assert modes(open_folder)["blobs/images/aa/new.webp"] == "0o600"
    await blobs.protect()
    assert set(modes(open_folder).values()) == {"0o600"}
    assert await blobs.get("images/aa/old.webp") == b"old"


async def test_protecting_a_store_that_has_no_folder_yet_is_no_error(tmp_path: Path) -> None:
    await DiskBlobs(tmp_path / "nothing").protect()
