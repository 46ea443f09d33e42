"""A media with what one viewer may know of it and do with it. For a media the caller has checked."""

from dataclasses import dataclass
from datetime import datetime

from kept.domain.account import Viewer
from kept.domain.history import may_tell_time, tell_kept_at
from kept.domain.media import Capabilities, Media, derive_capabilities
from kept.storage import articles
from kept.storage.database.engine import Connection


@dataclass(frozen=True, slots=True)
class SeenMedia:
    media: Media
    capabilities: Capabilities
    kept_at: datetime | None
    """When this copy was made; None where that would tell when somebody else saved it."""
    enriched_at: datetime | None
    """When the card was filled, by the same rule."""


def view_media(tx: Connection, viewer: Viewer, found: Media) -> SeenMedia:
    has_fragments = found.is_readable and articles.has_fragment(tx, found.id)
    capabilities = derive_capabilities(found, has_fragments=has_fragments)
    known_since = articles.find_known_since(tx, found.id, viewer.user_id)
    enriched_at = found.enriched_at if found.enriched_at and may_tell_time(found.enriched_at, known_since) else None
    return SeenMedia(found, capabilities, tell_kept_at(found, known_since), enriched_at)
