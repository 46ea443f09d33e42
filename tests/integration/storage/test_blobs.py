"""One contract for every place blobs can live."""

import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from kept.bootstrap import create_blobs
from kept.config import Settings
from kept.storage.blobs import BlobStore


@pytest.fixture(scope="module")
def s3_endpoint() -> Iterator[str]:
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["disk", "s3"])
async def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BlobStore]:
    if request.param == "disk":
        yield create_blobs(Settings(data_dir=tmp_path))
        return
    import boto3

    endpoint = request.getfixturevalue("s3_endpoint")
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys).create_bucket(Bucket="kept")
    yield create_blobs(
        Settings(
            blob_url="s3://kept/some/prefix",
            s3_endpoint=endpoint,
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
