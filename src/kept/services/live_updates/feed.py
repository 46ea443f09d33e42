"""The feed of live updates: one poller in each API process, shared by all who listen.

It runs only while somebody listens. Who may know of an event is read when it is handed out, so that a member who was
just removed gets nothing more.
"""

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog

from kept.clock import utc_now
from kept.domain.errors import first_line, is_outage
from kept.domain.events import Event
from kept.storage import events
from kept.storage.database.engine import Database

log = structlog.get_logger("kept.events")

POLL_SECONDS: Final = 0.25
# PostgreSQL hands out ids before commit, so that a lower one may appear after a higher one; we look back this long.
LATE_SECONDS: Final = 10.0
KEPT_FOR: Final = timedelta(hours=1)
CLEAR_EVERY_SECONDS: Final = 600.0
BATCH: Final = 500
BACKLOG: Final = 200


class _Listener:
    """One open page that listens. A page that falls too far behind is told to reload instead."""

    def __init__(self, user_id: UUID) -> None:
        self.user_id = user_id
        self._news: asyncio.Queue[Event | None] = asyncio.Queue(BACKLOG)
        self.is_behind = False

    def hear(self, event: Event | None) -> None:
        try:
            self._news.put_nowait(event)
        except asyncio.QueueFull:
            self.is_behind = True

    async def next(self, *, seconds: float) -> Event | None:
        """Return the next event, or None when the feed closes; raises TimeoutError when nothing happened."""
        async with asyncio.timeout(seconds):
            return await self._news.get()


class EventFeed:
    """Tells open pages of events; made once by the wiring."""

    def __init__(self, database: Database, now: Callable[[], datetime] = utc_now) -> None:
        self.database, self.now = database, now
        self.is_closed = False
        self._listeners: set[_Listener] = set()
        self._poller: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def listen(self, user_id: UUID) -> AsyncIterator[_Listener]:
        listener = _Listener(user_id)
        self._listeners.add(listener)
        if self._poller is None and not self.is_closed:
            latest = await self.find_latest()
            if self._poller is None:
                self._poller = asyncio.create_task(_Tail(latest).follow(self))
        try:
            yield listener
        finally:
            self._listeners.discard(listener)
            if not self._listeners and self._poller is not None:
                self._poller.cancel()
                self._poller = None

    def hand_out(self, news: list[Event]) -> None:
        for event in news:
            for listener in self._listeners:
                if listener.user_id in event.audience:
                    listener.hear(event)

    async def list_missed(self, user_id: UUID, after: int) -> list[Event] | None:
        """Return what happened since an event; None where that is no longer known in full."""
        found = await self.database.read(events.list_after, after - 1, limit=BATCH)
        if len(found) == BATCH or (after and (not found or found[0].id != after)):
            return None
        return [event for event in found if event.id > after and user_id in event.audience]

    async def find_latest(self) -> int:
        return await self.database.read(events.find_latest)

    def close(self) -> None:
        """End every listener, so that a server that stops need not wait for them."""
        self.is_closed = True
        for listener in self._listeners:
            listener.hear(None)
        if self._poller is not None:
            self._poller.cancel()
            self._poller = None


class _Tail:
    """How far the table was read: everything up to `floor`, and those of the later events that are in `seen`."""

    def __init__(self, latest: int) -> None:
        self.floor = latest
        self.seen: OrderedDict[int, float] = OrderedDict()
        self.cleared_at = time.monotonic()

    async def follow(self, feed: EventFeed) -> None:
        while True:
            try:
                feed.hand_out(await self.read(feed.database))
                await self.clear(feed)
            except Exception as error:  # nobody waits for this task: it goes on, whatever it met
                if is_outage(error):
                    log.warning("events.unreadable", error=first_line(error))
                else:
                    log.exception("events.unreadable")
            await asyncio.sleep(POLL_SECONDS)

    async def read(self, database: Database) -> list[Event]:
        found = await database.read(events.list_after, self.floor, limit=BATCH)
        news = [event for event in found if event.id not in self.seen]
        now = time.monotonic()
        self.seen.update((event.id, now) for event in news)
        while self.seen and (now - next(iter(self.seen.values())) > LATE_SECONDS or len(self.seen) >= BATCH):
            self.floor = max(self.floor, self.seen.popitem(last=False)[0])
        return news

    async def clear(self, feed: EventFeed) -> None:
        if time.monotonic() - self.cleared_at < CLEAR_EVERY_SECONDS:
            return
        self.cleared_at = time.monotonic()
        await feed.database.write(events.forget_before, feed.now() - KEPT_FOR)
