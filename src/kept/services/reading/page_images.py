"""Images of the pages of a PDF, drawn on demand and kept in memory for a while."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

import structlog

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.capture import Capture
from kept.domain.document import PAGE_WIDTH
from kept.domain.errors import NotFound, RateLimited
from kept.services.reading.files import get_document
from kept.storage.blobs.store import BlobStore
from kept.storage.database.engine import Database
from kept.subprocesses.documents import DocumentReaders

log = structlog.get_logger("kept.documents")
# Whoever looks at one page looks at the next; starting a process takes longer than drawing a page.
AT_ONCE: Final = 5
# The drawings of one user, each of some pages: more than a screen shows.
MAX_DRAWINGS: Final = 4
RETRY_SECONDS: Final = 5
# A page that cannot be drawn is not tried again at each look.
REMEMBER_REFUSAL_SECONDS: Final = 300.0
MAX_REFUSALS: Final = 10_000
# The memory for images in each process.
MAX_RECENT_BYTES: Final = 32 * 1024 * 1024
NO_PAGE: Final = "There is no such page."
NO_IMAGE: Final = "This page could not be drawn."
# The page of a place; none has this number.
WHOLE_FILE: Final = 0
# A file by its blob, and a page of it.
Place = tuple[str, int]


class PageImages:
    """Draws the pages of a PDF when somebody looks at one, a few at a time.

    None is stored: a small file can have thousands of large pages, and nobody's quota would count them. There is one
    for each process: whoever asks for a page that is being drawn waits for it. One drawing of a user runs at a time, so
    that nobody else waits for all the pages that somebody asks for.
    """

    def __init__(self, database: Database, blobs: BlobStore, settings: Settings) -> None:
        self._database = database
        self._blobs = blobs
        self._readers = DocumentReaders.from_settings(settings)
        self._slots = asyncio.Semaphore(settings.image_processes)
        self._turns: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._waiting: dict[Place, asyncio.Future[bytes | None]] = {}
        self._drawing: dict[asyncio.Task[None], UUID] = {}
        self._recent = RecentImages(MAX_RECENT_BYTES)
        self._refused: dict[Place, float] = {}

    async def obtain(self, viewer: Viewer, item_id: UUID, page: int) -> bytes:
        """Return the image of a page as WebP.

        NotFound is raised where the page or the viewer's access is missing; RateLimited where too many are being drawn.
        """
        document = await self._database.read(get_document, viewer, item_id)
        facts, file = document.facts, document.file
        if facts is None or file is None or not 1 <= page <= facts.page_count:
            raise NotFound(NO_PAGE)
        data = self._recent.find((file.blob_key, page))
        if data is None and not self._is_refused(file, page):
            data = await self._draw(viewer.user_id, file, range(page, min(page + AT_ONCE, facts.page_count + 1)))
        if data is None:
            raise NotFound(NO_IMAGE)
        return data

    async def close(self) -> None:
        for task in self._drawing:
            task.cancel()
        await asyncio.gather(*self._drawing, return_exceptions=True)

    async def _draw(self, user_id: UUID, file: Capture, pages: range) -> bytes | None:
        """Return the image of the first of some pages; the others are drawn too, for whoever asks next."""
        if (file.blob_key, pages[0]) not in self._waiting:
            self._start(user_id, file, pages)
        return await asyncio.shield(self._waiting[file.blob_key, pages[0]])

    def _start(self, user_id: UUID, file: Capture, pages: range) -> None:
        if list(self._drawing.values()).count(user_id) >= MAX_DRAWINGS:
            raise RateLimited(RETRY_SECONDS)
        loop = asyncio.get_running_loop()
        new = [page for page in pages if self._is_new(file, page)]
        self._waiting |= {(file.blob_key, page): loop.create_future() for page in new}
        task = loop.create_task(self._draw_pages(user_id, file, new), name=f"pages of {file.media_id}")
        self._drawing[task] = user_id
        task.add_done_callback(self._finish)

    def _is_new(self, file: Capture, page: int) -> bool:
        place = file.blob_key, page
        return place not in self._waiting and self._recent.find(place) is None and not self._is_refused(file, page)

    def _finish(self, task: asyncio.Task[None]) -> None:
        del self._drawing[task]
        error = None if task.cancelled() else task.exception()
        if error is not None:  # the blob store is away, for instance; those who waited were told that there is no image
            log.warning("documents.pages_not_drawn", error=repr(error))

    async def _draw_pages(self, user_id: UUID, file: Capture, pages: Sequence[int]) -> None:
        turn = self._turns.setdefault(user_id, asyncio.Lock())
        try:
            async with turn, self._slots:
                if not self._is_refused(file, WHOLE_FILE):  # an earlier drawing made it
                    await self._read_file(file, pages)
        finally:
            for page in pages:  # those that could not be drawn
                self._answer(file, page, None)

    async def _read_file(self, file: Capture, pages: Sequence[int]) -> None:
        stream = await self._blobs.open(file.blob_key)
        if stream is None:
            return
        with stream:
            async with self._readers.start(stream) as reader:
                for page in pages:
                    data = await reader.draw_page(page, PAGE_WIDTH)
                    self._answer(file, page, data)
                    if data is None:
                        self._refuse(file, WHOLE_FILE if reader.is_lost else page)
                    if reader.is_lost:
                        return

    def _answer(self, file: Capture, page: int, data: bytes | None) -> None:
        if data is not None:
            self._recent.put((file.blob_key, page), data)
        waiting = self._waiting.pop((file.blob_key, page), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(data)

    def _is_refused(self, file: Capture, page: int) -> bool:
        places = (file.blob_key, page), (file.blob_key, WHOLE_FILE)
        return any(time.monotonic() < self._refused.get(place, 0.0) for place in places)

    def _refuse(self, file: Capture, page: int) -> None:
        log.warning("documents.page_not_drawn", media_id=str(file.media_id), page=page)
        if len(self._refused) >= MAX_REFUSALS:
            self._refused.clear()
        self._refused[file.blob_key, page] = time.monotonic() + REMEMBER_REFUSAL_SECONDS


class RecentImages:
    """The images of pages that were drawn last, in memory, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._images: OrderedDict[Place, bytes] = OrderedDict()
        self._size = 0

    def find(self, place: Place) -> bytes | None:
        if place in self._images:
            self._images.move_to_end(place)
        return self._images.get(place)

    def put(self, place: Place, data: bytes) -> None:
        self._size += len(data) - len(self._images.pop(place, b""))
        self._images[place] = data
        while self._size > self._max_bytes:
            _, oldest = self._images.popitem(last=False)
            self._size -= len(oldest)
