"""A preview image that cannot be stored: a screenshot takes its place on the card, or the card does without."""

from dataclasses import replace
from datetime import datetime

from kept.domain.attempt import AttemptRecord
from kept.domain.enrichment import wants_screenshot
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.media import Media
from kept.services.pages.states import settle_card
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.images import ImageAsset
from kept.storage.jobs import queue
from kept.urls.url import get_url


def fall_back_to_screenshot(
    tx: Connection, preview: ImageAsset, why: str, *, can_render: bool, priority: Priority, now: datetime
) -> None:
    """Nothing happens if the page names another image by now."""
    found = media.find_media(tx, preview.media_id, lock=True)
    if found is None or found.preview_image_url != preview.origin_url or found.preview_error is not None:
        return
    media.update_media(tx, found.id, now, preview_error=why)
    found = replace(found, preview_error=why)
    if found.has_image:
        return
    record = AttemptRecord(message=why)
    state = lifecycles.apply_move(tx, found.state, EnrichmentStatus.PENDING, at=now, record=record)
    if wants_screenshot(found, can_render=can_render):
        _queue_screenshot(tx, found, priority, now)
    else:
        settle_card(tx, found, state, error=why, now=now)
    events.publish_event(tx, found.id, "card", now)


def _queue_screenshot(tx: Connection, found: Media, priority: Priority, now: datetime) -> None:
    host = get_url(found.canonical_url or found.source_url).host
    queue.enqueue(tx, NewJob(JobKind.RENDER, found.id, host, priority, now, None, None), now=now)
