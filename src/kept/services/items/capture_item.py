"""Keep a copy of an item's whole page: a browser visits it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.config import Settings
from kept.domain.account import Viewer
from kept.domain.capture import explain_refusal
from kept.domain.errors import Conflict
from kept.domain.item import Card
from kept.domain.job import JobKind, Priority
from kept.jobs.notifier import Notifier
from kept.services.pages.cards import get_card
from kept.services.pages.files import require_room
from kept.services.pages.states import queue_capture
from kept.storage.database.engine import Connection, Database


@dataclass(frozen=True, slots=True)
class PageCapturer:
    """What asking for whole pages needs; made once by the wiring."""

    database: Database
    notifier: Notifier
    settings: Settings


async def capture_item(
    capturer: PageCapturer, viewer: Viewer, item_id: UUID, *, request_id: str | None, now: datetime
) -> Card:
    """Conflict where there can be none."""
    card = await capturer.database.write(_capture, viewer, item_id, request_id, capturer.settings, now)
    capturer.notifier.notify(JobKind.CAPTURE, card.media.id)
    return card


def _capture(
    tx: Connection, viewer: Viewer, item_id: UUID, request_id: str | None, settings: Settings, now: datetime
) -> Card:
    card = get_card(tx, viewer, item_id, to_change=True)
    refusal = explain_refusal(card.media, is_kept=settings.keeps_whole_pages)
    if refusal is not None:
        raise Conflict(refusal)
    require_room(tx, viewer.user_id, 1, settings.whole_page_quota_bytes)
    queue_capture(tx, card.media, viewer.user_id, request_id=request_id, priority=Priority.PERSON, now=now)
    return card
