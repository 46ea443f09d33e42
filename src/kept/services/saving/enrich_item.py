"""Fill an item's card again, on purpose: its words and image are refreshed; a browser is sent only for an image."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.enrichment import wants_screenshot
from kept.domain.errors import Conflict
from kept.domain.item import Card
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import FINAL, EnrichmentStatus
from kept.domain.media import Media
from kept.services.pages.cards import get_card
from kept.services.pages.states import settle_card
from kept.services.saving.fill_card import CardToFill, fill_card
from kept.services.saving.save_link import LinkSaver
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.url import NormalisedUrl, parse_url


@dataclass(frozen=True, slots=True)
class _Asked:
    viewer: Viewer
    item_id: UUID
    request_id: str | None
    now: datetime


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
    asked = _Asked(viewer, item_id, request_id, now)
    card = await saver.database.write(_ask_for_image, asked, url.host, saver.settings)
    saver.notifier.notify(JobKind.RENDER, card.media.id)
    saver.notifier.notify(JobKind.STORE_IMAGES, card.media.id)
    return card


def _ask_for_image(tx: Connection, asked: _Asked, host: str, settings: Settings) -> Card:
    """The page's own is fetched; if that fails, or there is none, a browser takes a screenshot."""
    card = get_card(tx, asked.viewer, asked.item_id)
    if card.media.has_image and card.media.preview_image_url and settings.store_images:
        _enqueue(tx, asked, JobKind.STORE_IMAGES, card.media, None)
    elif wants_screenshot(card.media, can_render=settings.render != "never"):
        _enqueue(tx, asked, JobKind.RENDER, card.media, host)
    elif card.media.enrichment_status is EnrichmentStatus.PENDING and card.media.processing_status in FINAL:
        settle_card(tx, card.media, card.media.state, error=card.media.enrichment_error, now=asked.now)
        return get_card(tx, asked.viewer, asked.item_id)
    return card


def _enqueue(tx: Connection, asked: _Asked, kind: JobKind, found: Media, host: str | None) -> None:
    job = NewJob(kind, found.id, host, Priority.PERSON, asked.now, asked.viewer.user_id, asked.request_id)
    queue.enqueue(tx, job, now=asked.now)
