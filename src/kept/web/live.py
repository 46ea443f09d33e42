"""Live updates: server-sent events that name changed items. The page then requests their cards or an article."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import StreamingResponse

from kept.api.access import KeptDep, Reader
from kept.domain.account import Viewer
from kept.domain.events import HIGHLIGHTS, Event
from kept.services.live_updates.feed import EventFeed

router = APIRouter(include_in_schema=False)

HEARTBEAT_SECONDS: Final = 15.0  # well under the minute after which proxies close what is silent
# The browser then reconnects by itself and is authenticated again, so that an ended session stops listening.
LIFETIME_SECONDS: Final = 300.0
LAST_EVENT_ID: Final = 2**63 - 1
LONGEST_EVENT_ID: Final = len(str(LAST_EVENT_ID))
STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get("/events")
async def follow(
    viewer: Reader,
    kept: KeptDep,
    after: Annotated[int | None, Query(ge=0, le=LAST_EVENT_ID)] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """Stream events after `Last-Event-ID`, which a reconnecting browser sends, or after those of the page (`after`)."""
    since = parse_event_id(last_event_id or "")
    since = after if since is None else since
    return StreamingResponse(stream(kept.feed, viewer, since), media_type="text/event-stream", headers=STREAM_HEADERS)


def parse_event_id(text: str) -> int | None:
    """Return the id, or None for a text that is no id of an event."""
    if not text.isdecimal() or len(text) > LONGEST_EVENT_ID:
        return None
    event_id = int(text)
    return event_id if event_id <= LAST_EVENT_ID else None


async def stream(feed: EventFeed, viewer: Viewer, since: int | None) -> AsyncIterator[str]:
    async with feed.listen(viewer.user_id) as listener:
        yield "retry: 2000\n\n"
        told = 0
        missed = await feed.list_missed(viewer.user_id, since) if since is not None else []
        if missed is None:
            yield stale(await feed.find_latest())
        for event in missed or []:
            told = event.id
            yield written(event)
        ends_at = asyncio.get_running_loop().time() + LIFETIME_SECONDS
        while asyncio.get_running_loop().time() < ends_at:
            try:
                news = await listener.next(seconds=HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            if news is None or listener.is_behind:
                return  # shutting down, or too far behind: the browser reconnects and gets what it missed
            if news.id > told or missed is None:
                yield written(news)


def written(event: Event) -> str:
    name = HIGHLIGHTS if event.kind == HIGHLIGHTS else "item"
    return f"id: {event.id}\nevent: {name}\ndata: {json.dumps({'kind': event.kind, 'item': str(event.item_id)})}\n\n"


def stale(latest: int) -> str:
    """Tell the page to reload: more events were missed than are stored."""
    return f"id: {latest}\nevent: stale\ndata: {{}}\n\n"
