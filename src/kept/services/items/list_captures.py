"""The files there are of an item's whole page, and whether more are on their way."""

from dataclasses import dataclass
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.capture import HTML_TYPE, MHTML_TYPE, Capture, CaptureFailure, CaptureFormat
from kept.domain.item import Card
from kept.domain.job import JobKind
from kept.domain.library import Role
from kept.services.pages.cards import get_card
from kept.storage import captures, libraries
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue


@dataclass(frozen=True, slots=True)
class WholePage:
    card: Card
    captures: tuple[Capture, ...]
    """An uploaded MHTML is one as well as any."""
    is_queued: bool
    may_change: bool
    original: Capture | None
    """The HTML that the viewer uploaded, as it came."""
    failure: CaptureFailure | None

    def find(self, wanted: CaptureFormat) -> Capture | None:
        return next((one for one in self.captures if one.format is wanted), None)


def list_captures(tx: Connection, viewer: Viewer, item_id: UUID) -> WholePage:
    card = get_card(tx, viewer, item_id)
    found = captures.list_captures(tx, card.media.id)
    shown = tuple(one for one in map(_name, found) if one is not None)
    is_queued = queue.find_job(tx, JobKind.CAPTURE, card.media.id) is not None
    library = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    original = captures.find_original(tx, card.media.id, viewer.user_id)
    return WholePage(
        card,
        shown,
        is_queued,
        may_change=library is not None and library[1] is Role.ADMIN,
        original=original if original is not None and original.content_type == HTML_TYPE else None,
        failure=captures.find_failure(tx, card.media.id),
    )


def _name(found: Capture) -> Capture | None:
    """HTML that somebody uploaded is only read, never shown: the static page made of it is. A document is no page."""
    if found.format is CaptureFormat.DOCUMENT:
        return None
    if found.format is not CaptureFormat.UPLOAD:
        return found
    if found.content_type != MHTML_TYPE:
        return None
    return Capture(
        found.media_id, CaptureFormat.MHTML, found.blob_key, found.content_type, found.size, found.created_at
    )
