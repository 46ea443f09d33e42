"""Give a media its canonical URL, or merge it into the media that has it."""

from datetime import datetime
from uuid import UUID

from kept.domain.media import Media
from kept.services.ingesting.merge_media import merge_media
from kept.storage import copies, media
from kept.storage.database.engine import Connection
from kept.urls.url import NormalisedUrl


def claim_canonical_url(
    tx: Connection, found: Media, url: NormalisedUrl, *, actor_user_id: UUID | None, now: datetime
) -> UUID:
    """Returns the media that stays. Who takes the URL between our look and our write wins: the unit runs again."""
    # A new copy gets the URL once it is ready; what came with a file must not stand for the page to others.
    if found.canonical_url is not None or found.is_private or copies.is_being_made(tx, found.id):
        return found.id
    winner_id = media.find_by_canonical_url(tx, str(url))
    if winner_id is not None:
        merge_media(tx, found.id, winner_id, actor_user_id=actor_user_id, now=now)
        return winner_id
    media.update_media(tx, found.id, now, canonical_url=str(url))
    if str(url) != found.source_url:
        media.insert_alias_if_free(tx, str(url), found.id)
    return found.id
