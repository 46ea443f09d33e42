"""The blob store: images and other files in a folder, or in S3. One port, two adapters, one set of contract tests."""

import asyncio
import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

from kept.domain.errors import Unavailable

KEY_PATTERN: Final = re.compile(r"[a-z0-9_-]+(/[a-z0-9_-]+)*(\.[a-z0-9]+)?")


# A full disk takes an empty file, and SQLite needs a page or more for anything at all.
PROBE_BYTES: Final = 64 * 1024

PRIVATE_MODE: Final = 0o600
OTHERS_MODE: Final = 0o077

# For the head of a bucket's answer: a person waits for the image. A bucket that is well takes milliseconds.
ANSWER_SECONDS: Final = 10.0


class BlobsAway(Unavailable):
    """The place where blobs live is away, full or read-only: worth trying again."""


class BlobStore(Protocol):
    """Stores bytes under keys. A put is all or nothing, a get of a missing key returns None, deleting one is no error.

    Each method raises `BlobsAway` when the store itself fails.
    """

    is_shared: bool
    """Whether all servers of an instance share it, so that none can do better when it is away."""

    async def put(self, key: str, body: bytes, content_type: str) -> None: ...

    async def get(self, key: str) -> bytes | None: ...

    async def put_file(self, key: str, file: BinaryIO, content_type: str) -> None:
        """Store a file that is too large for memory; it is read from its current position."""

    async def open(self, key: str) -> BinaryIO | None:
        """Open a blob to read and seek in without holding all of it in memory. The caller closes it."""

    async def delete(self, key: str) -> None: ...

    async def list(self, folder: str, *, before: datetime | None = None) -> list[str]:
        """Return every key in a folder and its subfolders, unordered; with `before`, only those stored before then."""

    async def check(self) -> None:
        """Raise OSError or `BlobsAway` with a message for people when the store cannot be used."""

    async def protect(self) -> None:
        """Make files private that other users of the machine could read."""

    async def require(self) -> None:
        """Raise `BlobsAway` if the store failed when it was last used and still does; this costs nothing otherwise.

        It is called before a site is asked for something that could not be stored.
        """


def require_key(key: str) -> str:
    """Check a key a second time; keys are made by Kept and never by users."""
    if not KEY_PATTERN.fullmatch(key):
        raise ValueError(f"not a blob key: {key!r}")
    return key


class Watch:
    """Remembers whether a place failed when it was last used."""

    def __init__(self) -> None:
        self.is_away = False

    @contextlib.contextmanager
    def over(self, telling: AbstractContextManager[None]) -> Iterator[None]:
        try:
            with telling:
                yield
        except BlobsAway:
            self.is_away = True
            raise
        self.is_away = False


class DiskBlobs:
    """Blobs in a folder. Files appear by rename after an fsync, so that a crash leaves the whole file or none."""

    is_shared = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._watch = Watch()

    async def put(self, key: str, body: bytes, content_type: str) -> None:
        with self._watch.over(telling_outages()):
            await asyncio.to_thread(write_durably, self.path_of(key), body)

    async def get(self, key: str) -> bytes | None:
        with self._watch.over(telling_outages()):
            return await asyncio.to_thread(read_if_there, self.path_of(key))

    async def put_file(self, key: str, file: BinaryIO, content_type: str) -> None:
        with self._watch.over(telling_outages()):
            await asyncio.to_thread(write_durably, self.path_of(key), file)

    async def open(self, key: str) -> BinaryIO | None:
        with self._watch.over(telling_outages()):
            return await asyncio.to_thread(open_if_there, self.path_of(key))

    async def delete(self, key: str) -> None:
        with self._watch.over(telling_outages()):
            await asyncio.to_thread(self.path_of(key).unlink, missing_ok=True)

    async def list(self, folder: str, *, before: datetime | None = None) -> list[str]:
        with self._watch.over(telling_outages()):
            return await asyncio.to_thread(list_keys, self.folder, require_key(folder), before)

    async def check(self) -> None:
        await asyncio.to_thread(check_writable, self.folder)

    async def protect(self) -> None:
        with telling_outages():
            await asyncio.to_thread(protect_files, self.folder)

    async def require(self) -> None:
        if self._watch.is_away:
            with self._watch.over(telling_outages()):
                await self.check()

    def path_of(self, key: str) -> Path:
        return self.folder / require_key(key)


def write_durably(path: Path, body: bytes | BinaryIO) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as file:
            if isinstance(body, bytes):
                file.write(body)
            else:
                shutil.copyfileobj(body, file)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_if_there(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def open_if_there(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def list_keys(root: Path, folder: str, before: datetime | None) -> list[str]:
    """List the keys in a folder, without files that are being written, whose names begin with a dot."""
    files = (path for path in (root / folder).rglob("*") if path.is_file() and not path.name.startswith("."))
    return [path.relative_to(root).as_posix() for path in files if before is None or is_older(path, before)]


def is_older(path: Path, before: datetime) -> bool:
    """Return whether a file is older than a moment; False for one that is gone."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_mtime < before.timestamp()
    return False


def protect_files(folder: Path) -> None:
    """Make all files in a folder private; older ones may come from a copy or a restored backup."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with contextlib.suppress(FileNotFoundError, PermissionError):
                protect_file(path)


def protect_file(path: Path) -> None:
    if path.stat().st_mode & OTHERS_MODE:
        path.chmod(PRIVATE_MODE)


def check_writable(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_probe(folder)


def write_probe(folder: Path) -> None:
    """Write a probe file; raises OSError where nothing more can be written. One left by a crash does no harm."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".new-") as file:
        file.write(b"\0" * PROBE_BYTES)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def telling_outages() -> Iterator[None]:
    """Turn an OSError into BlobsAway, except for a missing file, which the caller handles."""
    try:
        yield
    except (FileNotFoundError, BlobsAway):
        raise
    except OSError as error:
        raise BlobsAway(str(error)) from error


@contextlib.contextmanager
def telling_s3_outages(*, on_put: bool = False) -> Iterator[None]:
    """Turn an error of S3 into BlobsAway; a missing file stays one, except on a put, where the bucket is missing."""
    from obstore.exceptions import BaseError  # the s3 extra

    try:
        yield
    except (BaseError, FileNotFoundError, TimeoutError) as error:
        if isinstance(error, FileNotFoundError) and not on_put:
            raise
        reason = str(error).splitlines()[0] if str(error) else "it does not answer"
        raise BlobsAway(f"the bucket cannot be used: {reason}") from error


class S3Blobs:
    """Blobs in an S3 bucket, through obstore (the `s3` extra)."""

    is_shared = True

    def __init__(self, store: Any, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.store, self.answer_seconds = store, answer_seconds
        self._watch = Watch()

    async def put(self, key: str, body: bytes, content_type: str) -> None:
        await self._put(key, body, content_type)

    async def put_file(self, key: str, file: BinaryIO, content_type: str) -> None:
        await self._put(key, file, content_type)

    async def _put(self, key: str, body: bytes | BinaryIO, content_type: str) -> None:
        with self._watch.over(telling_s3_outages(on_put=True)):
            await self.store.put_async(require_key(key), body, attributes={"Content-Type": content_type})

    async def get(self, key: str) -> bytes | None:
        try:
            with self._watch.over(telling_s3_outages()):
                return bytes(await (await self._ask(key)).bytes_async())
        except FileNotFoundError:
            return None

    async def open(self, key: str) -> BinaryIO | None:
        try:
            with self._watch.over(telling_s3_outages()):
                return await spool(await self._ask(key))
        except FileNotFoundError:
            return None

    async def _ask(self, key: str) -> Any:
        async with asyncio.timeout(self.answer_seconds):
            return await self.store.get_async(require_key(key))

    async def delete(self, key: str) -> None:
        with contextlib.suppress(FileNotFoundError), self._watch.over(telling_s3_outages()):
            await self.store.delete_async(require_key(key))

    async def list(self, folder: str, *, before: datetime | None = None) -> list[str]:
        with self._watch.over(telling_s3_outages()):
            chunks = self.store.list(f"{require_key(folder)}/")
            entries = [entry async for chunk in chunks for entry in chunk]
        return [entry["path"] for entry in entries if before is None or entry["last_modified"] < before]

    async def check(self) -> None:
        try:
            await self.put("check", b"", "application/octet-stream")
            await self.delete("check")
        except BlobsAway:
            raise
        except Exception as error:  # a wrong endpoint, say
            raise OSError(f"the bucket cannot be used: {error}") from error

    async def protect(self) -> None:
        """Do nothing: the bucket's own policy decides who may read it."""

    async def require(self) -> None:
        if self._watch.is_away:
            await self.check()


async def spool(answer: Any) -> BinaryIO:
    """Read the whole answer into a temporary file that nobody else sees."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 the caller closes it
    try:
        async for chunk in answer.stream():
            await asyncio.to_thread(file.write, bytes(chunk))
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
