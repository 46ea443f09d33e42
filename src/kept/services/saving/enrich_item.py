"""Fill an item's card again, on purpose: title and excerpt are refreshed; a browser is sent only for an image."""

from datetime import datetime
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.errors import Conflict
from kept.domain.item import Card
from kept.domain.job import JobKind, NewJob, Priority
from kept.services.items.get_card import get_card
from kept.services.saving.fill_card import CardToFill, fill_card
from kept.services.saving.save_link import LinkSaver
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import NormalisedUrl, parse_url


async def enrich_item(
    saver: LinkSaver, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    card = await saver.database.read(get_card, viewer, item_id, to_change=True)
    url = parse_url(card.media.canonical_url or card.item.url)
    if not isinstance(url, NormalisedUrl):
        raise Conflict("This is not a web page, so there is nothing to fetch.")
    wanted = CardToFill(card.media.id, url, viewer.user_id, refresh=True)
    saver.in_flight.start(card.media.id, fill_card(saver.filler, wanted))
    await saver.in_flight.wait(card.media.id, saver.settings.save_budget_seconds)
    if saver.settings.render == "never":
        return await saver.database.read(get_card, viewer, item_id)
    card = await saver.database.write(_ask_for_screenshot, viewer, item_id, url.host, request_id, now=now)
    saver.notifier.notify(JobKind.RENDER, card.media.id)
    return card


def _ask_for_screenshot(
    tx: Connection, viewer: Viewer, item_id: UUID, host: str, request_id: str | None, *, now: datetime
) -> Card:
    card = get_card(tx, viewer, item_id)
    if not card.media.has_image:
        job = NewJob(JobKind.RENDER, card.media.id, host, Priority.PERSON, now, viewer.user_id, request_id)
        queue.enqueue(tx, job, now=now)
    return card
