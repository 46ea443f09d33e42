"""Whether a copy of the whole page is wanted of a media that nobody asked for just now. For a unit of work."""

from kept.config import Settings
from kept.domain.media import Media
from kept.storage import captures
from kept.storage.database.engine import Connection


def wants_capture(tx: Connection, found: Media, settings: Settings) -> bool:
    """By setting, by a library that holds it, or because the copy whose place it takes had one. What came as a file is
    its own whole page."""
    if not settings.keeps_whole_pages or found.is_private or found.is_document:
        return False
    return settings.whole_page == "always" or captures.is_wanted(tx, found.id)
