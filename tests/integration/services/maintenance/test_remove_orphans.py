"""The clean-up removes what nobody holds and never what somebody is just saving, on both databases."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import insert, select

from kept.clock import utc_now
from kept.domain.errors import LostRace
from kept.ids import new_id
from kept.services.maintenance.cleaning import remove_orphan, remove_orphans, sweep_blobs
from kept.storage import images, media, tables
from kept.storage.blobs.store import DiskBlobs
from kept.storage.database.engine import Connection, Database
from support.builders import rows
from support.fixtures.transactions import reading, writing

pytestmark = pytest.mark.requirement("Kept", "the clean-up cannot race a save")


@pytest.fixture
def blobs(tmp_path: Path) -> DiskBlobs:
    return DiskBlobs(tmp_path / "blobs")


async def put_images(database: Database, blobs: DiskBlobs, media_id: UUID) -> list[str]:
    """An image of a media, its thumbnail and a screenshot: their keys."""
    with writing(database) as tx:
        keys = insert_images(tx, media_id)
    for key in keys:
        await blobs.put(key, b"x", "image/png")
    return keys


def insert_images(tx: Connection, media_id: UUID) -> list[str]:
    origin = "https://example.org/p.png"
    media.insert_image_assets(tx, media_id, images.page_images(media_id, origin), rows.AT)
    [asset] = images.list_assets(tx, media_id)
    screenshot = f"thumbnails/{media_id.hex[-2:]}/{media_id.hex}.webp"
    keys = [images.image_key(asset, "0" * 64, "png"), images.thumbnail_key(asset), screenshot]
    images.record_blob(tx, asset.id, keys[0], "image/png")
    media.update_media(tx, media_id, rows.AT, thumbnail_key=screenshot)
    return keys


def exists(database: Database, media_id: UUID) -> bool:
    with reading(database) as tx:
        return media.find_media(tx, media_id) is not None


async def test_what_nobody_holds_goes_with_its_blobs_and_the_rest_stays(database: Database, blobs: DiskBlobs) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        held, orphan = rows.insert_media(tx), rows.insert_media(tx)
        rows.insert_item(tx, library_id, held)
    kept, gone = await put_images(database, blobs, held), await put_images(database, blobs, orphan)
    assert await remove_orphans(database, blobs, now=utc_now()) == 1
    assert (exists(database, held), exists(database, orphan)) == (True, False)
    assert [await blobs.get(key) is not None for key in (*kept, *gone)] == [True] * 3 + [False] * 3
    assert await remove_orphans(database, blobs, now=utc_now()) == 0


@pytest.mark.parametrize(("kind", "goes"), [("ingest", False), ("render", False), ("store_images", True)])
async def test_a_page_that_is_being_fetched_is_not_judged_yet(
    database: Database, blobs: DiskBlobs, kind: str, goes: bool
) -> None:
    with writing(database) as tx:
        media_id = rows.insert_media(tx)
        job = {"kind": kind, "subject_id": media_id, "queue": "ingest", "priority": 0, "attempt": 0}
        times = {"run_at": rows.AT, "enqueued_at": rows.AT, "is_queued_behind": False, "wanted": 1}
        tx.execute(insert(tables.jobs).values(id=new_id(), **job, **times))
    assert await remove_orphans(database, blobs, now=utc_now()) == int(goes)
    with reading(database) as tx:
        assert len(tx.execute(select(tables.jobs)).all()) == int(not goes)


async def test_a_save_that_commits_while_the_clean_up_looks_keeps_its_page(
    database: Database, blobs: DiskBlobs
) -> None:
    """On PostgreSQL the clean-up waits for the item's transaction, and must then see the item."""
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
    with writing(database) as tx:
        rows.insert_item(tx, library_id, media_id)
        cleaning = asyncio.create_task(database.write(remove_orphan, media_id, utc_now()))
        done, _ = await asyncio.wait({cleaning}, timeout=0.3)
        assert not done
    assert await cleaning is None
    assert exists(database, media_id)


async def test_a_save_that_comes_after_the_clean_up_finds_no_page_rather_than_half_of_one(database: Database) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        media_id = rows.insert_media(tx)
    assert await database.write(remove_orphan, media_id, utc_now()) is not None
    with pytest.raises(LostRace):  # a save looks again each time, and makes the page anew
        await database.write(rows.insert_item, library_id, media_id)


async def test_saves_and_clean_ups_that_race_leave_every_item_with_its_page(
    database: Database, blobs: DiskBlobs
) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        pages = [rows.insert_media(tx) for _ in range(20)]

    async def save(media_id: UUID) -> bool:
        try:
            await database.write(rows.insert_item, library_id, media_id)
        except LostRace:
            return False
        return True

    saved, _ = await asyncio.gather(
        asyncio.gather(*(save(media_id) for media_id in pages)),
        asyncio.gather(*(database.write(remove_orphan, media_id, utc_now()) for media_id in pages)),
    )
    assert [exists(database, media_id) for media_id in pages] == list(saved)


async def test_what_a_crash_left_behind_is_swept(database: Database, blobs: DiskBlobs) -> None:
    with writing(database) as tx:
        _, library_id = rows.insert_user(tx)
        held, lost = rows.insert_media(tx), rows.insert_media(tx)
        rows.insert_item(tx, library_id, held)
    kept, stray = await put_images(database, blobs, held), await put_images(database, blobs, lost)
    with writing(database) as tx:
        media.delete_media(tx, lost)
    assert await sweep_blobs(database, blobs, now=utc_now()) == 0, "their rows may still come"
    assert await sweep_blobs(database, blobs, now=utc_now() + timedelta(hours=2)) == 3
    assert [await blobs.get(key) is not None for key in (*kept, *stray)] == [True] * 3 + [False] * 3
