"""A backup taken while people save opens whole, and a restore is all or nothing."""

import asyncio
import contextlib
import gzip
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from kept.clock import utc_now
from kept.config import Settings
from kept.domain.media import image_asset_id
from kept.domain.schema import SchemaState
from kept.storage import images, tables
from kept.storage.backup import create as backups
from kept.storage.backup.create import BackupFailed, list_blobs, write_backup
from kept.storage.backup.restore import restore_backup
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Database
from kept.storage.media import insert_image_assets
from kept.storage.migrations import schema
from support.builders.pictures import picture
from support.builders.rows import insert_item, insert_media, insert_user
from support.fixtures.databases import copy_sqlite
from support.fixtures.migrations import become_next_version
from support.fixtures.transactions import reading, writing
from support.servers.commands import kept

NOW = utc_now()


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    copy_sqlite(sqlite_template, folder)
    return folder


def back_up(home: Path, target: Path) -> backups.BackedUp:
    return write_backup(
        home / "kept.db", home / "blobs", target, kept_version="1.0", now=NOW, on_blob=lambda done, total: None
    )


def restore(source: Path, home: Path, *, replace: bool = False) -> Path | None:
    return restore_backup(source, home / "kept.db", home / "blobs", replace=replace, now=NOW)


def check(home: Path) -> int:
    """The database is sound and every blob it names is there; returns how many items it has."""
    with contextlib.closing(sqlite.connect(home / "kept.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for blob in list_blobs(connection):
            assert (home / "blobs" / blob.key).is_file() or not blob.can_be_forgotten, blob
        [(items,)] = connection.execute("SELECT count(*) FROM items").fetchall()
    return int(items)


class Saver:
    """Saves pages with pictures, and removes some, as fast as it can."""

    def __init__(self, home: Path) -> None:
        self.database = Database(Settings(data_dir=home).sqlalchemy_url)
        self.blobs, self.saved, self.is_stopped = DiskBlobs(home / "blobs"), 0, False
        self.library_id = UUID(int=0)

    async def run(self) -> None:
        with writing(self.database) as tx:
            _, self.library_id = insert_user(tx)
        while not self.is_stopped:
            await self.save()
        await self.database.close()

    async def save(self) -> tuple[UUID, str]:
        url = f"https://example.org/{self.saved}.png"
        with writing(self.database) as tx:
            media_id = insert_media(tx, source_url=url)
            insert_item(tx, self.library_id, media_id)
            insert_image_assets(tx, media_id, [(image_asset_id(media_id, url), url)], NOW)
            [asset] = images.list_assets(tx, media_id)
        key = images.image_key(asset, f"{self.saved:064}", "png")
        await self.blobs.put(key, picture(), "image/png")
        with writing(self.database) as tx:
            images.record_blob(tx, asset.id, key, "image/png")
        self.saved += 1
        return media_id, key


async def test_a_backup_taken_while_saves_go_on_is_whole(home: Path, tmp_path: Path) -> None:
    saver = Saver(home)
    saving = asyncio.create_task(saver.run())
    while saver.saved < 30:
        await asyncio.sleep(0.01)
    for number in range(3):
        before = saver.saved
        made = await asyncio.to_thread(back_up, home, tmp_path / f"{number}.tar")
        after = saver.saved
        assert made.blobs >= before
        new = tmp_path / f"new-{number}"
        assert restore(tmp_path / f"{number}.tar", new) is None
        assert before <= check(new) <= after + 1
        while saver.saved <= after:  # it goes on
            await asyncio.sleep(0.01)
    saver.is_stopped = True
    await saving
    assert check(home) == saver.saved


async def test_a_picture_that_goes_between_the_copy_and_its_turn_is_forgotten_in_the_copy(
    home: Path, tmp_path: Path
) -> None:
    saver = Saver(home)
    with writing(saver.database) as tx:
        _, saver.library_id = insert_user(tx)
    kept, gone = [(await saver.save())[1] for _ in range(2)]
    await saver.database.close()
    (home / "blobs" / gone).unlink()
    made = back_up(home, tmp_path / "b.tar")
    assert (made.blobs, made.gone) == (1, 1)
    restore(tmp_path / "b.tar", tmp_path / "new")
    assert check(tmp_path / "new") == 2
    assert (tmp_path / "new" / "blobs" / kept).read_bytes() == picture()


async def test_the_file_of_an_import_is_in_the_backup_until_it_is_done(filled: Path, tmp_path: Path) -> None:
    database = Database(Settings(data_dir=filled).sqlalchemy_url)
    with writing(database) as tx:
        [user_id] = tx.execute(select(tables.users.c.id)).scalars()
        [library_id] = tx.execute(select(tables.libraries.c.id)).scalars()
        same = {"user_id": user_id, "library_id": library_id, "format": "x", "file_name": "x", "state": "done"}
        for number, key in enumerate(("imports/aa/here", "imports/aa/gone")):
            row = {"id": UUID(int=number), "blob_key": key, "options": {}, "created_at": NOW, "updated_at": NOW}
            tx.execute(tables.imports.insert(), same | row)
    await database.close()
    await DiskBlobs(filled / "blobs").put("imports/aa/here", b"a file", "application/octet-stream")
    made = back_up(filled, tmp_path / "b.tar")
    assert (made.blobs, made.gone) == (4, 0)
    restore(tmp_path / "b.tar", tmp_path / "new")
    assert (tmp_path / "new" / "blobs" / "imports" / "aa" / "here").read_bytes() == b"a file"


@pytest.fixture
async def filled(home: Path) -> Path:
    saver = Saver(home)
    with writing(saver.database) as tx:
        _, saver.library_id = insert_user(tx)
    for _ in range(3):
        await saver.save()
    await saver.database.close()
    return home


@pytest.mark.parametrize("name", ["b.tar", "b.tar.gz", "b.tgz"])
def test_a_backup_comes_back_as_it_was(filled: Path, tmp_path: Path, name: str) -> None:
    back_up(filled, tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    restore(tmp_path / name, tmp_path / "new")
    assert check(tmp_path / "new") == 3
    assert dump(tmp_path / "new") == dump(filled)


def dump(home: Path) -> dict[str, list[Any]]:
    with contextlib.closing(sqlite.connect(home / "kept.db")) as connection:
        return {
            table.name: connection.execute(f'SELECT * FROM "{table.name}" ORDER BY 1').fetchall()
            for table in tables.metadata.sorted_tables
        }


def test_what_is_there_is_not_overwritten_unless_told_and_then_put_aside(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b.tar")
    with contextlib.closing(sqlite.connect(filled / "kept.db")) as connection:
        connection.execute("PRAGMA foreign_keys = ON")  # their search numbers go along
        connection.execute("DELETE FROM items")
        connection.commit()
    with pytest.raises(BackupFailed, match="is there already"):
        restore(tmp_path / "b.tar", filled)
    assert check(filled) == 0
    aside = restore(tmp_path / "b.tar", filled, replace=True)
    assert check(filled) == 3
    assert aside is not None
    assert check(aside) == 0
    assert [path.name for path in filled.iterdir() if path.name.startswith(".")] == []


async def test_a_database_in_use_is_left_alone(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b.tar")
    database = Database(Settings(data_dir=filled).sqlalchemy_url)
    with reading(database) as tx:
        tx.execute(select(tables.items))
        with pytest.raises(BackupFailed, match="in use: stop Kept first"):
            restore(tmp_path / "b.tar", filled, replace=True)
    await database.close()
    assert check(filled) == 3


def test_a_backup_of_an_older_schema_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old"
    schema.migrate(f"sqlite:///{old / 'kept.db'}")
    back_up(old, tmp_path / "b.tar")
    become_next_version(monkeypatch, tmp_path, 'op.add_column("media", sa.Column("added_later", sa.Text()))')
    assert schema.read_schema_state(f"sqlite:///{old / 'kept.db'}") is SchemaState.OLDER
    restore(tmp_path / "b.tar", tmp_path / "new")
    assert schema.read_schema_state(f"sqlite:///{tmp_path / 'new' / 'kept.db'}") is SchemaState.CURRENT


def test_a_backup_of_a_newer_schema_is_refused(home: Path, tmp_path: Path) -> None:
    with contextlib.closing(sqlite.connect(home / "kept.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    back_up(home, tmp_path / "b.tar")
    with pytest.raises(BackupFailed, match=r"made by a newer Kept \(1.0\); upgrade Kept first"):
        restore(tmp_path / "b.tar", tmp_path / "new")
    assert not (tmp_path / "new" / "kept.db").exists()


def test_half_a_backup_changes_nothing(filled: Path, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b.tar")
    whole = (tmp_path / "b.tar").read_bytes()
    for length in (0, 100, len(whole) // 2, len(whole) - 2 * tarfile.RECORDSIZE):  # the last may be all padding
        (tmp_path / "half.tar").write_bytes(whole[:length])
        with pytest.raises(BackupFailed):
            restore(tmp_path / "half.tar", filled, replace=True)
        assert check(filled) == 3
    assert sorted(path.name for path in filled.iterdir()) == ["blobs", "kept.db"]


def hostile_members() -> Iterator[tarfile.TarInfo]:
    for name in ("../evil", "/tmp/evil", "blobs/../../evil", "blobs/images/../../evil", "kept.toml", "blobs/A"):
        yield tarfile.TarInfo(name)
    link = tarfile.TarInfo("blobs/images/ab")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    yield link


@pytest.mark.parametrize("member", list(hostile_members()), ids=lambda member: f"{member.name} {member.linkname}")
def test_a_file_that_is_no_backup_writes_nothing_anywhere(tmp_path: Path, member: tarfile.TarInfo) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        about = json.dumps({"format": backups.FORMAT, "version": 1}).encode()
        entry = tarfile.TarInfo(backups.ABOUT)
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
        archive.addfile(member)
    with pytest.raises(BackupFailed, match="has no place in a backup"):
        restore(tmp_path / "evil.tar", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["blobs", "evil.tar", "new"]


def test_every_column_that_names_a_blob_is_backed_up() -> None:
    """A new column for keys must be called one of these, or be added to them."""
    named = {
        f"{table.name}.{column.name}"
        for table in tables.metadata.sorted_tables
        for column in table.columns
        if column.name.endswith("_key")
    }
    assert {name for name in named if name.partition(".")[2] in backups.KEY_COLUMNS} == named - {"transitions.sort_key"}


def tarred(**members: bytes) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo({"about": backups.ABOUT, "database": backups.DATABASE, "end": backups.END}[name])
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return target.getvalue()


GOOD_ABOUT = json.dumps({"format": backups.FORMAT, "version": backups.VERSION}).encode()
GOOD_END = json.dumps({"blobs": 0}).encode()
MALFORMED = {
    "empty": b"",
    "one byte": b"x",
    "garbage": bytes(range(256)) * 20,
    "empty tar": tarred(),
    "cut gzip": gzip.compress(tarred(about=GOOD_ABOUT))[:-12],
    "broken gzip": b"\x1f\x8b\x08\x00" + b"x" * 100,
    "broken xz": b"\xfd7zXZ\x00" + b"x" * 100,
    "broken bzip2": b"BZh9" + b"x" * 100,
    "about is no JSON": tarred(about=b"{", database=b"", end=GOOD_END),
    "about is no text": tarred(about=b"\xff\xfe\x00", database=b"", end=GOOD_END),
    "about is a list": tarred(about=b"[]", database=b"", end=GOOD_END),
    "end is no JSON": tarred(about=GOOD_ABOUT, database=b"", end=b"}"),
    "end is a number": tarred(about=GOOD_ABOUT, database=b"", end=b"7"),
    "deep JSON": tarred(about=b"[" * 100_000, database=b"", end=GOOD_END),
    "database is empty": tarred(about=GOOD_ABOUT, database=b"", end=GOOD_END),
    "database is garbage": tarred(about=GOOD_ABOUT, database=b"garbage" * 1000, end=GOOD_END),
    "database is cut": tarred(about=GOOD_ABOUT, database=b"SQLite format 3\x00" + b"\x00" * 500, end=GOOD_END),
}


@pytest.mark.requirement("Kept", "a malformed backup is refused with one line")
@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_with_one_line_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / "backup").write_bytes(MALFORMED[name])
    outcome = kept("restore", str(tmp_path / "backup"), folder=tmp_path / "data")
    assert outcome.returncode == 1
    assert len(outcome.stderr.strip().splitlines()) == 1, outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert not (tmp_path / "data" / "kept.db").exists()
