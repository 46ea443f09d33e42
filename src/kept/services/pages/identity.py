"""Which media a page is: claiming its canonical URL, merging two media, and finding pages by id or URL."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from kept.domain.errors import InvalidRequest, NotFound
from kept.domain.item import Item, fill_gaps, unite_reading_states
from kept.domain.job import JobKind
from kept.domain.media import Media
from kept.services.pages.states import queue_anchoring
from kept.storage import captures, events, highlights, items, libraries
from kept.storage.database.engine import Connection, Database
from kept.storage.media import (
    delete_media,
    find_canonical_owner,
    find_media,
    find_merged,
    find_page,
    insert_alias_if_free,
    list_pages_at,
    remember_merge,
    repoint_aliases,
)
from kept.storage.queue import queue
from kept.storage.search import index
from kept.urls.given import parse_given_url
from kept.urls.url import NormalisedUrl, RejectedUrl


@dataclass(frozen=True, slots=True)
class Claim:
    media_id: UUID
    """The media that stays: another one, if the page was known under this URL."""
    canonical_url: str | None
    """The URL that the caller writes with its move. If another media took it meanwhile, the unit of work runs again."""


def claim_canonical_url(
    tx: Connection, media: Media, url: NormalisedUrl | None, *, actor_user_id: UUID | None, now: datetime
) -> Claim:
    """Claim a canonical URL for a media, or merge it into the media that has it.

    Without a URL, or where the media has one or may not have one, it stays as it is.
    """
    # A page that came with a file must not be shown to others as the page.
    if url is None or media.canonical_url is not None or media.is_private:
        return Claim(media.id, media.canonical_url)
    owner_id, is_being_made = find_canonical_owner(tx, media.id, str(url))
    if is_being_made:  # a new copy gets the URL once it is ready
        return Claim(media.id, None)
    if owner_id is not None:
        merge_media(tx, media.id, owner_id, actor_user_id=actor_user_id, now=now)
        return Claim(owner_id, str(url))
    if str(url) != media.source_url:
        insert_alias_if_free(tx, str(url), media.id)
    return Claim(media.id, str(url))


def merge_media(tx: Connection, loser_id: UUID, winner_id: UUID, *, actor_user_id: UUID | None, now: datetime) -> None:
    """Merge two media that are one page: the loser's items, aliases, reading states and highlights move to the winner.

    It is all done in the caller's transaction, so that nobody ever sees a moment without the page.
    """
    # Always in the same order, so that two merges cannot wait for each other.
    for media_id in sorted((loser_id, winner_id)):
        find_media(tx, media_id, lock=True)
    for item in _list_items(tx, loser_id, actor_user_id):
        _move_item(tx, item, winner_id, now)
    _move_reading_states(tx, loser_id, winner_id, now)
    highlights.move_highlights(tx, loser_id, winner_id, highlights.list_owners(tx, loser_id))
    queue_anchoring(tx, winner_id, now=now)
    captures.move_captures(tx, loser_id, winner_id)
    repoint_aliases(tx, loser_id, winner_id)
    remember_merge(tx, loser_id, winner_id)
    for kind in JobKind:
        queue.cancel(tx, kind, loser_id)
    delete_media(tx, loser_id)


def _list_items(tx: Connection, media_id: UUID, actor_user_id: UUID | None) -> list[Item]:
    """List the items of a media, that of the actor's own library first."""
    found = items.list_items_of_media(tx, media_id)
    if actor_user_id is None:
        return found
    own = libraries.get_default_library_id(tx, actor_user_id)
    return sorted(found, key=lambda item: item.library_id != own)


def _move_item(tx: Connection, item: Item, winner_id: UUID, now: datetime) -> None:
    kept = items.find_item_of_media(tx, item.library_id, winner_id)
    if kept is None:
        items.update_item(tx, item.id, media_id=winner_id, updated_at=now)
        return
    older = min(kept, item, key=lambda one: (one.created_at, one.id))
    newer = item if older is kept else kept
    items.update_user_fields(tx, kept.id, fill_gaps(older, newer), now, url=older.url, created_at=older.created_at)
    items.add_tags(tx, item.library_id, kept.id, items.list_tags(tx, [item.id]).get(item.id, ()))
    index.index_items(tx, [kept.id])
    items.unite_row(tx, item.id, kept.id)
    events.publish_item_event(tx, item, "merged", now)


def _move_reading_states(tx: Connection, loser_id: UUID, winner_id: UUID, now: datetime) -> None:
    kept = items.list_reading_states(tx, winner_id)
    for user_id, state in items.list_reading_states(tx, loser_id).items():
        united = unite_reading_states(kept[user_id], state) if user_id in kept else state
        items.put_reading_state(tx, user_id, winner_id, united, now)


def find_page_at(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    """Find the media that a save of this URL, as somebody typed it, would find in this library.

    Returns None where a save would make a new page, or refuse the URL.
    """
    given = parse_given_url(url)
    return None if isinstance(given, RejectedUrl) else find_page(tx, library_id, given.identity)


async def resolve_page(database: Database, named: str) -> list[UUID]:
    """Return the ids of the media that an item's id, a media's id or a URL names, for whoever runs the server.

    There are several where libraries have copies of their own at that URL.
    """
    try:
        return [await database.read(_resolve_id, UUID(named))]
    except ValueError:
        pass
    given = parse_given_url(named)
    if isinstance(given, RejectedUrl) or not isinstance(given.url, NormalisedUrl):
        raise InvalidRequest(f"{named} is neither an id nor a web URL.")
    found = await database.read(list_pages_at, given.identity)
    if not found:
        raise NotFound(f"Nothing was saved from {named}.")
    return found


def _resolve_id(tx: Connection, given: UUID) -> UUID:
    """Return the media behind an id: people copy an item's id from a URL as often as a media's."""
    media_id = items.find_media_of_item(tx, given) or given
    return find_merged(tx, media_id) or media_id
