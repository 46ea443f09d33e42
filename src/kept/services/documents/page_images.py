"""Images of the pages of a PDF: drawn when somebody looks at one, a few at a time, and stored like other images."""

import asyncio
import time
from typing import Final
from uuid import UUID

import structlog

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.capture import Capture
from kept.domain.document import PAGE_WIDTH
from kept.domain.errors import NotFound
from kept.services.documents.get_document import get_document
from kept.storage.blobs.store import BlobStore
from kept.storage.captures import page_image_key
from kept.storage.database.engine import Database
from kept.subprocesses.document_reader import DocumentReader, DocumentReaders

log = structlog.get_logger("kept.documents")

# Who looks at one page looks at the next; starting a process takes longer than drawing a page.
AT_ONCE: Final = 5
# A file that cannot be drawn is not tried again at each look.
REMEMBER_REFUSAL_SECONDS: Final = 300.0
MAX_REFUSALS: Final = 1000
NO_PAGE: Final = "There is no such page."
NO_IMAGE: Final = "This page could not be drawn."

Place = tuple[UUID, int]


class PageImages:
    """One per process: who asks for a page that is being drawn waits for it."""

    def __init__(self, database: Database, blobs: BlobStore, settings: Settings) -> None:
        self._database = database
        self._blobs = blobs
        self._readers = DocumentReaders.from_settings(settings)
        self._slots = asyncio.Semaphore(settings.picture_processes)
        self._waiting: dict[Place, asyncio.Future[bytes | None]] = {}
        self._drawing: set[asyncio.Task[None]] = set()
        self._refused: dict[str, float] = {}

    async def obtain(self, viewer: Viewer, item_id: UUID, page: int) -> bytes:
        """WebP. NotFound where there is no such page, or the viewer cannot see the item."""
        found = await self._database.read(get_document, viewer, item_id)
        facts, file = found.facts, found.file
        if facts is None or file is None or not 1 <= page <= len(facts.page_sizes):
            raise NotFound(NO_PAGE)
        data = await self._blobs.get(page_image_key(file.media_id, file.digest or "", page))
        if data is None and not self._is_refused(file):
            data = await self._draw(file, page, len(facts.page_sizes))
        if data is None:
            raise NotFound(NO_IMAGE)
        return data

    async def close(self) -> None:
        for task in self._drawing:
            task.cancel()
        await asyncio.gather(*self._drawing, return_exceptions=True)

    def _is_refused(self, file: Capture) -> bool:
        return time.monotonic() < self._refused.get(file.blob_key, 0.0)

    async def _draw(self, file: Capture, page: int, last: int) -> bytes | None:
        if (file.media_id, page) not in self._waiting:
            self._start(file, range(page, min(page + AT_ONCE, last + 1)))
        return await asyncio.shield(self._waiting[file.media_id, page])

    def _start(self, file: Capture, pages: range) -> None:
        loop = asyncio.get_running_loop()
        new = [page for page in pages if (file.media_id, page) not in self._waiting]
        self._waiting |= {(file.media_id, page): loop.create_future() for page in new}
        task = loop.create_task(self._draw_pages(file, new), name=f"pages of {file.media_id}")
        self._drawing.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._drawing.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:  # the blob store is away, for instance; who waited was told that there is none
            log.warning("documents.pages_not_drawn", error=repr(error))

    async def _draw_pages(self, file: Capture, pages: list[int]) -> None:
        try:
            async with self._slots:
                await self._read_file(file, pages)
        finally:
            for page in pages:  # those that nothing came of
                self._answer(file, page, None)

    async def _read_file(self, file: Capture, pages: list[int]) -> None:
        stream = await self._blobs.open(file.blob_key)
        if stream is None:
            return
        with stream:
            async with self._readers.start(stream) as reader:
                for page in pages:
                    if not await self._draw_page(reader, file, page):
                        self._refuse(file, page)
                        return

    async def _draw_page(self, reader: DocumentReader, file: Capture, page: int) -> bool:
        key = page_image_key(file.media_id, file.digest or "", page)
        data = await self._blobs.get(key) or await reader.draw_page(page, PAGE_WIDTH)
        if data is not None:
            await self._blobs.put(key, data, "image/webp")
        self._answer(file, page, data)
        return data is not None

    def _answer(self, file: Capture, page: int, data: bytes | None) -> None:
        waiting = self._waiting.pop((file.media_id, page), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(data)

    def _refuse(self, file: Capture, page: int) -> None:
        log.warning("documents.page_not_drawn", media_id=str(file.media_id), page=page)
        if len(self._refused) >= MAX_REFUSALS:
            self._refused.clear()
        self._refused[file.blob_key] = time.monotonic() + REMEMBER_REFUSAL_SECONDS
