"""One contract for every place blobs can live."""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from kept.clock import utc_now
from kept.config import Settings
from kept.storage.blobs.store import BlobsAway, BlobStore, DiskBlobs, S3Blobs
from kept.wiring.stores import create_blobs
from support.servers.local_servers import Bucket, own_bucket

pytestmark = pytest.mark.requirement("Kept", "an absent bucket costs images only")


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with own_bucket() as bucket:
        yield bucket


@pytest.fixture(params=["disk", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "disk":
        return create_blobs(Settings(data_dir=tmp_path))
    return blobs_in(request.getfixturevalue("bucket"))


@pytest.fixture
async def silent_bucket() -> AsyncIterator[Bucket]:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        yield Bucket(port=server.sockets[0].getsockname()[1])


def blobs_in(bucket: Bucket) -> BlobStore:
    return create_blobs(
        Settings(
            blob_url=f"s3://{bucket.name}/some/prefix",
            s3_endpoint=bucket.endpoint,
            s3_access_key_id="test",
            s3_secret_access_key="test",
        )
    )


async def test_what_was_put_can_be_got(blobs: BlobStore) -> None:
    await blobs.put("thumbnails/ab/1.webp", b"\x00picture", "image/webp")
    assert await blobs.get("thumbnails/ab/1.webp") == b"\x00picture"


async def test_a_second_put_replaces_the_first(blobs: BlobStore) -> None:
    await blobs.put("a", b"one", "text/plain")
    await blobs.put("a", b"two", "text/plain")
    assert await blobs.get("a") == b"two"


async def test_what_is_not_there_is_none(blobs: BlobStore) -> None:
    assert await blobs.get("missing") is None


async def test_a_deleted_blob_is_gone_and_deleting_twice_is_no_error(blobs: BlobStore) -> None:
    await blobs.put("b", b"x", "text/plain")
    await blobs.delete("b")
    await blobs.delete("b")
    assert await blobs.get("b") is None


@pytest.mark.parametrize("key", ["../etc/passwd", "/absolute", "a//b", "", "A", "a/../b"])
async def test_an_odd_key_is_refused(blobs: BlobStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a blob key"):
        await blobs.put(key, b"", "text/plain")


async def test_a_usable_store_passes_its_check(blobs: BlobStore) -> None:
    await blobs.check()


async def test_a_folder_that_cannot_be_written_fails_its_check(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("a file where the folder should be")
    with pytest.raises(OSError):
        await create_blobs(Settings(data_dir=tmp_path)).check()


async def test_a_folder_lists_what_is_in_it_and_in_its_folders(blobs: BlobStore) -> None:
    keys = {"listed/ab/1.png", "listed/ab/more/2.png", "listed/3"}
    for key in (*keys, "listedtoo/4"):
        await blobs.put(key, b"x", "image/png")
    assert set(await blobs.list("listed")) == keys
    assert set(await blobs.list("listed/ab")) == {"listed/ab/1.png", "listed/ab/more/2.png"}
    assert await blobs.list("nothing/here") == []
    assert set(await blobs.list("listed", before=utc_now() + timedelta(minutes=1))) == keys
    assert await blobs.list("listed", before=utc_now() - timedelta(minutes=1)) == []


async def test_a_large_file_goes_in_and_comes_out_as_a_file(blobs: BlobStore) -> None:
    body = b"0123456789" * 300_000
    await blobs.put_file("imports/ab/1", io.BytesIO(body), "application/octet-stream")
    file = await blobs.open("imports/ab/1")
    assert file is not None
    with file:
        file.seek(10)
        assert file.read(5) == b"01234"
        file.seek(0)
        assert file.read() == body
    assert await blobs.open("missing") is None


# --- a place that is away ----------------------------------------------------------------------------------------


@contextmanager
def folder_away(folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    folder.rename(folder.with_name("elsewhere"))
    folder.write_text("a file where the folder should be")
    yield
    folder.unlink()
    folder.with_name("elsewhere").rename(folder)


@contextmanager
def bucket_away(bucket: Bucket) -> Iterator[None]:
    bucket.stop()
    yield
    bucket.start()


async def use_in_every_way(blobs: BlobStore) -> AsyncIterator[str]:
    """Yields the ways in which it does not say that it is away."""
    ways: dict[str, Awaitable[object]] = {
        "put": blobs.put("a", b"x", "text/plain"),
        "put_file": blobs.put_file("a", io.BytesIO(b"x"), "text/plain"),
        "get": blobs.get("a"),
        "open": blobs.open("a"),
        "delete": blobs.delete("a"),
        "require": blobs.require(),
    }
    for name, way in ways.items():
        try:
            await way
        except BlobsAway:
            continue
        yield name


async def test_a_store_that_is_away_says_so_whatever_it_is_asked_and_is_well_again_afterwards(
    blobs: BlobStore, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    away = folder_away(tmp_path / "blobs") if isinstance(blobs, DiskBlobs) else None
    await blobs.put("before", b"x", "text/plain")
    with away or bucket_away(request.getfixturevalue("bucket")):
        assert [way async for way in use_in_every_way(blobs)] == []
    await blobs.require()
    assert await blobs.get("before") == b"x"


async def test_a_bucket_that_takes_connections_and_never_answers_is_away(silent_bucket: Bucket) -> None:
    blobs = blobs_in(silent_bucket)
    assert isinstance(blobs, S3Blobs)
    blobs.answer_seconds = 0.2
    with pytest.raises(BlobsAway, match="does not answer"):
        await blobs.get("a")


async def test_a_bucket_that_does_not_exist_is_away_to_whoever_writes(bucket: Bucket) -> None:
    missing = Bucket("nobody-made-it", port=bucket.port)
    with pytest.raises(BlobsAway, match="bucket"):
        await blobs_in(missing).put("a", b"x", "text/plain")
    assert await blobs_in(missing).get("a") is None
