"""What one viewer may see of a page: its card, media, article and history."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.content.article.safe_html import SafeHtml
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, NotFound
from kept.domain.history import Line, may_tell_time, tell_history, tell_kept_at
from kept.domain.item import Card, ReadingState
from kept.domain.library import Role
from kept.domain.media import Capabilities, Media, derive_capabilities
from kept.services.libraries.libraries import get_managed_library
from kept.storage import articles, events, items, libraries, lifecycles, users
from kept.storage.database.engine import Connection
from kept.storage.media import find_visible_media


@dataclass(frozen=True, slots=True)
class SeenMedia:
    media: Media
    capabilities: Capabilities
    kept_at: datetime | None
    """When this copy was made; None where that would tell when somebody else saved it."""
    enriched_at: datetime | None
    """When the card was filled; None by the same rule."""


@dataclass(frozen=True, slots=True)
class ReadableArticle:
    media: Media
    fragment_id: UUID
    html: SafeHtml
    canonical_text: str


def get_card(tx: Connection, viewer: Viewer, item_id: UUID, *, to_change: bool = False) -> Card:
    """Get an item's card for one viewer, to read or to change it.

    NotFound is raised for what the viewer may not see or is not there; Forbidden for what they may see but not change.
    """
    card = items.find_card(tx, item_id, viewer.user_id)
    if card is None:
        raise NotFound
    if to_change:
        get_managed_library(tx, viewer, card.item.library_id)
    return card


def get_card_and_role(tx: Connection, viewer: Viewer, item_id: UUID) -> tuple[Card, Role]:
    """Get a card, and the viewer's role in its library."""
    card = get_card(tx, viewer, item_id)
    found = libraries.find_library(tx, card.item.library_id, viewer.user_id)
    assert found is not None  # get_card saw the membership
    return card, found[1]


def name_adders(tx: Connection, viewer: Viewer, cards: Iterable[Card]) -> dict[UUID, str]:
    """Return the names of those who added items to shared libraries, by user id, without the viewer."""
    added_by = {card.item.added_by for card in cards} - {None, viewer.user_id}
    return users.list_names(tx, [user_id for user_id in added_by if user_id is not None]) if added_by else {}


def put_reading_state(tx: Connection, viewer: Viewer, media_id: UUID, state: ReadingState, now: datetime) -> None:
    """Store a user's reading state of a media, and tell their open pages."""
    items.put_reading_state(tx, viewer.user_id, media_id, state, now)
    events.publish_user_event(tx, viewer.user_id, media_id, "reading", now)


def get_visible_media(tx: Connection, viewer: Viewer, media_id: UUID) -> Media:
    """Get a media for one viewer, or the one that it was merged into.

    NotFound is raised for what the viewer may not see and for what is not there alike.
    """
    found = find_visible_media(tx, media_id, viewer.user_id)
    if found is None:
        raise NotFound
    return found


def view_media(tx: Connection, viewer: Viewer, media: Media) -> SeenMedia:
    """Return a media with what a viewer may know of it and do with it. The caller has checked their access."""
    has_fragments = media.is_readable and articles.has_fragment(tx, media.id)
    capabilities = derive_capabilities(media, has_fragments=has_fragments)
    known_since = articles.find_known_since(tx, media.id, viewer.user_id)
    enriched_at = media.enriched_at if media.enriched_at and may_tell_time(media.enriched_at, known_since) else None
    return SeenMedia(media, capabilities, tell_kept_at(media, known_since), enriched_at)


def get_article(tx: Connection, media: Media) -> ReadableArticle:
    """Get the article of a media. The caller has checked that the viewer may see it.

    What was stored is checked again: not even a tampered database can put a script into a page.
    """
    fragment = articles.find_fragment(tx, media.id) if media.is_readable else None
    if fragment is None:
        raise Conflict("This article is not ready for reading.")
    html = SafeHtml.admit(fragment.html_sanitized)
    if html is None:
        raise RuntimeError(f"the fragment of media {media.id} is not the markup that sanitise writes")
    return ReadableArticle(media, fragment.id, html, fragment.canonical_text)


def read_media(tx: Connection, viewer: Viewer, media_id: UUID) -> SeenMedia:
    """Return a media as one viewer may see it."""
    return view_media(tx, viewer, get_visible_media(tx, viewer, media_id))


def read_history(tx: Connection, viewer: Viewer, media_id: UUID) -> list[Line]:
    """Return a media's history, told so that nobody learns of anybody else."""
    media = get_visible_media(tx, viewer, media_id)
    return tell_history(
        lifecycles.list_transitions(tx, media.id),
        viewer_id=viewer.user_id,
        known_since=articles.find_known_since(tx, media.id, viewer.user_id),
        is_shared=articles.is_held_elsewhere(tx, media.id, viewer.user_id),
    )
