"""Claim a canonical URL for a media, or merge it into the media that has it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.media import Media
from kept.services.pages.merge_media import merge_media
from kept.storage import media
from kept.storage.database.engine import Connection
from kept.urls.url import NormalisedUrl


@dataclass(frozen=True, slots=True)
class Claim:
    media_id: UUID
    """The media that stays: another one, if the page was known under this URL."""
    canonical_url: str | None
    """For the caller to write with its move. Who took the URL meanwhile wins: then the unit runs again."""


def claim_canonical_url(
    tx: Connection, found: Media, url: NormalisedUrl | None, *, actor_user_id: UUID | None, now: datetime
) -> Claim:
    """Without a URL, or where the media has one or may not have one, it stays as it is."""
    # What came with a file must not stand for the page to others.
    if url is None or found.canonical_url is not None or found.is_private:
        return Claim(found.id, found.canonical_url)
    owner_id, is_being_made = media.find_canonical_owner(tx, found.id, str(url))
    if is_being_made:  # a new copy gets the URL once it is ready
        return Claim(found.id, None)
    if owner_id is not None:
        merge_media(tx, found.id, owner_id, actor_user_id=actor_user_id, now=now)
        return Claim(owner_id, str(url))
    if str(url) != found.source_url:
        media.insert_alias_if_free(tx, str(url), found.id)
    return Claim(found.id, str(url))
