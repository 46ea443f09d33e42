"""Fill an item's card again, on purpose: title and excerpt are refreshed, and a browser is sent only for a picture."""

from uuid import UUID

from kept.clock import utc_now
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, NotFound
from kept.domain.item import Card
from kept.domain.library import require_admin
from kept.domain.media import Media
from kept.storage.jobs import queue
from kept.storage.jobs.queue import JobKind, NewJob, Priority
from kept.services.saving.save_link import LinkSaver
from kept.storage import items, libraries, media
from kept.storage.database.engine import AsyncConnection
from kept.urls.url import NormalisedUrl, parse_url


async def enrich_media(saver: LinkSaver, viewer: Viewer, item_id: UUID, *, request_id: str | None) -> Card:
    card = await get_writable_card(saver, viewer, item_id)
    url = parse_url(card.media.canonical_url or card.item.url)
    if not isinstance(url, NormalisedUrl):
        raise Conflict("This is not a web page, so there is nothing to fetch.")
    flight = saver.filler.fill(card.media.id, url, actor_user_id=viewer.user_id, refresh=True)
    saver.flights.start(card.media.id, flight)
    await saver.flights.wait(card.media.id, saver.settings.save_budget_seconds)
    return await finish(saver, viewer, item_id, url, request_id)


async def get_writable_card(saver: LinkSaver, viewer: Viewer, item_id: UUID) -> Card:
    async with saver.database.read() as tx:
        card = await items.find_card(tx, item_id, viewer.user_id)
        if card is None:
            raise NotFound
        _, role = await libraries.find_library(tx, card.item.library_id, viewer.user_id) or (None, None)
        require_admin(role)
    return card


async def finish(saver: LinkSaver, viewer: Viewer, item_id: UUID, url: NormalisedUrl, request_id: str | None) -> Card:
    async with saver.database.write() as tx:
        card = await items.find_card(tx, item_id, viewer.user_id)
        if card is None:
            raise NotFound
        if not card.media.has_picture and saver.settings.render != "never":
            await queue_screenshot(tx, card.media, viewer, url, request_id)
    saver.notifier.notify(JobKind.RENDER, card.media.id)
    return card


async def queue_screenshot(
    tx: AsyncConnection, found: Media, viewer: Viewer, url: NormalisedUrl, request_id: str | None
) -> None:
    if await media.find_media(tx, found.id) is None:
        return
    now = utc_now()
    job = NewJob(
        kind=JobKind.RENDER,
        subject_id=found.id,
        host=url.host,
        priority=Priority.PERSON,
        run_at=now,
        actor_user_id=viewer.user_id,
        request_id=request_id,
    )
    await queue.enqueue(tx, job, now=now)
