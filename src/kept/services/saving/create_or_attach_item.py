"""The first transaction of a save: a known URL is attached to the library, a new one becomes media, item and job."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.attempt import AttemptRecord
from kept.domain.failures import FailureCode, FailureStage
from kept.domain.item import NO_FIELDS, Item, UserFields
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState, ProcessingStatus, begin, deserves_fresh_attempt
from kept.ids import new_media_id
from kept.services.libraries.libraries import choose_library
from kept.services.pages.attaching import ItemToAttach, attach_item, unarchive_item
from kept.storage import events, libraries, lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue
from kept.urls.given import GivenUrl
from kept.urls.url import NormalisedUrl, OtherSchemeUrl

NOT_A_PAGE: Final = "This is not a web page, so there is nothing to fetch. It is kept as it was saved."


@dataclass(frozen=True, slots=True)
class LinkToPlace:
    given: GivenUrl
    fields: UserFields
    library_id: UUID | None
    job_delay_seconds: float
    """How long the save fetches by itself; 0 if it does not wait for the page."""
    request_id: str | None
    accepts_documents: bool = True
    """False where a web article is asked for: a file at the URL is a failure then."""

    @property
    def url(self) -> NormalisedUrl | OtherSchemeUrl:
        return self.given.url

    @property
    def identity(self) -> str:
        """By which the page is known; the item keeps what was given."""
        return str(self.url) if isinstance(self.url, NormalisedUrl) else self.url.text


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the first transaction left the link."""

    item: Item
    tags: tuple[str, ...]
    """Of a new item; one that was there may have more."""
    is_new_item: bool
    is_new_media: bool
    is_enqueued: bool
    was_archived: bool = False
    """Whether the viewer had archived it; it is unarchived, and first in the list."""

    @property
    def media_id(self) -> UUID:
        return self.item.media_id

    @property
    def library_id(self) -> UUID:
        return self.item.library_id


def create_or_attach_item(tx: Connection, viewer: Viewer, link: LinkToPlace, *, now: datetime) -> Placed:
    default_id = libraries.get_default_library_id(tx, viewer.user_id)
    library_id = choose_library(tx, viewer, link.library_id) if link.library_id else default_id
    known_id = _find_and_hold_media(tx, library_id, link.identity)
    is_new_media = known_id is None
    media_id = known_id or _insert_media(tx, viewer, link, now)
    wanted = ItemToAttach(library_id, media_id, link.given.text, viewer.user_id, link.fields)
    attached = attach_item(tx, wanted, now=now, is_new_media=is_new_media)
    if default_id != library_id:
        own = ItemToAttach(default_id, media_id, link.given.text, viewer.user_id, NO_FIELDS)
        attach_item(tx, own, now=now, is_new_media=is_new_media)
    was_archived = not is_new_media and unarchive_item(tx, viewer, attached.item, now)
    is_enqueued = is_new_media and isinstance(link.url, NormalisedUrl)
    if not is_new_media and _deserves_attempt(tx, link, media_id, is_new_item=attached.is_new):
        is_enqueued = _give_fresh_attempt(tx, viewer, link, media_id, now)
    if attached.is_new and not (is_new_media and link.job_delay_seconds):  # filling the card will publish it
        events.publish_event(tx, media_id, "added", now)
    return Placed(attached.item, link.fields.tags, attached.is_new, is_new_media, is_enqueued, was_archived)


def _find_and_hold_media(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    """Held before an item is inserted: who merges locks the media, moves items, and would wait for one like ours."""
    while (media_id := media.find_page(tx, library_id, url)) is not None:
        if media.hold(tx, media_id):
            return media_id
    return None


def _insert_media(tx: Connection, viewer: Viewer, link: LinkToPlace, now: datetime) -> UUID:
    media_id = new_media_id()
    if isinstance(link.url, OtherSchemeUrl):
        _insert_unfetchable(tx, media_id, link.url, now)
        return media_id
    accepts = {"accepts_documents": link.accepts_documents}
    media.insert_media(tx, media_id, link.identity, ProcessingStatus.PENDING, now, **accepts)
    media.insert_alias(tx, link.identity, media_id)
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=now))
    # A job that only waits for its save owes the host no politeness yet.
    host = None if link.job_delay_seconds else link.url.host
    run_at = now + timedelta(seconds=link.job_delay_seconds)
    queue.enqueue(tx, _ingest_job(viewer, link, media_id, host, run_at), now=now)
    return media_id


def _insert_unfetchable(tx: Connection, media_id: UUID, url: OtherSchemeUrl, now: datetime) -> None:
    media.insert_media(
        tx,
        media_id,
        url.text,
        ProcessingStatus.INVALID_URL,
        now,
        failure_code=FailureCode.URL_INVALID,
        failure_message=NOT_A_PAGE,
        failure_stage=FailureStage.VALIDATE,
        failed_at=now,
    )
    media.insert_alias(tx, url.text, media_id)
    record = AttemptRecord(code=FailureCode.URL_INVALID, message=NOT_A_PAGE, validation_reason="scheme")
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.INVALID_URL, at=now, record=record))
    state = LifecycleState(media_id, ProcessingStatus.INVALID_URL, EnrichmentStatus.PENDING, 1)
    lifecycles.apply_move(tx, state, EnrichmentStatus.FAILED, at=now, enrichment_error=NOT_A_PAGE)


def _deserves_attempt(tx: Connection, link: LinkToPlace, media_id: UUID, *, is_new_item: bool) -> bool:
    is_wider = link.accepts_documents and media.accept_documents(tx, media_id)
    found = media.find_media(tx, media_id)
    if found is None:
        return False
    if is_wider and found.processing_status is ProcessingStatus.EXTRACTING:  # by a worker that wants no document
        return True
    is_asked = is_new_item or is_wider or (link.accepts_documents and found.may_be_a_document)
    return is_asked and deserves_fresh_attempt(found.processing_status)


def _give_fresh_attempt(tx: Connection, viewer: Viewer, link: LinkToPlace, media_id: UUID, now: datetime) -> bool:
    if not isinstance(link.url, NormalisedUrl):
        return False
    queue.enqueue(tx, _ingest_job(viewer, link, media_id, link.url.host, now), now=now)
    return True


def _ingest_job(viewer: Viewer, link: LinkToPlace, media_id: UUID, host: str | None, run_at: datetime) -> NewJob:
    return NewJob(JobKind.INGEST, media_id, host, Priority.PERSON, run_at, viewer.user_id, link.request_id)
