"""The viewer's highlights on one media, in the order of its text, a page at a time."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.highlight import Highlight
from kept.domain.paging import PageRequest, parse_offset, write_offset
from kept.services.pages.cards import get_visible_media
from kept.storage import highlights
from kept.storage.database.engine import Connection

# A quote may have 20,000 characters: more of them at once would be a large answer.
MAX_MEDIA_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class MediaHighlights:
    highlights: list[Highlight]
    next_cursor: str | None


def list_media_highlights(tx: Connection, viewer: Viewer, media_id: UUID, page: PageRequest) -> MediaHighlights:
    offset = parse_offset(page.cursor) if page.cursor else 0
    media_id = get_visible_media(tx, viewer, media_id).id
    found = highlights.list_page_of_media(tx, viewer.user_id, media_id, offset=offset, limit=page.limit + 1)
    next_cursor = write_offset(offset + page.limit) if len(found) > page.limit else None
    return MediaHighlights(found[: page.limit], next_cursor)
