"""Saving many links in one transaction, by the rules of a single save; a page with its content is a batch of one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.content.import_formats.prepare_rows import MAX_CONTENT_CHARACTERS, PreparedLink, PreparedRow, prepare_rows
from kept.domain.account import Viewer
from kept.domain.capture import CaptureFormat
from kept.domain.document import type_of
from kept.domain.errors import InvalidRequest, TooLarge, UrlInvalid
from kept.domain.highlight import NewHighlight
from kept.domain.imported import FolderUse, ImportedLink, ImportedPage, copy_media_id, join_reading
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import NO_FIELDS, Card, Item, ReadingState, UserFields
from kept.domain.job import JobKind, NewJob, Priority, ingest_job
from kept.domain.library import Library, Role
from kept.domain.placing import Brought, KnownPage, Place, Placement, WantedLink, add_to, place
from kept.domain.synced import NumberKind
from kept.ids import new_id, new_media_id
from kept.services.highlights.annotations import import_highlights
from kept.services.pages.attaching import new_item
from kept.services.pages.cards import get_card
from kept.services.saving.links import LinkSaver
from kept.storage import bulk, captures, events, highlights, items, libraries, sync
from kept.storage.database.engine import Connection
from kept.storage.media import COPY_HEADER, Snapshot, accept_documents, update_media
from kept.storage.queue import queue
from kept.storage.search import index
from kept.urls.given import NOTICES

UNREAD: Final = ReadingState()
HAS_ARTICLE_ALREADY: Final = "The text that came with it was not needed: the page was here."
STANDS_FOR_IT: Final = "The page could not be kept before; the text that came with it stands for it now."


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """The user and library for which the links of a batch are saved, and when their pages are fetched."""

    user_id: UUID
    library_id: UUID
    now: datetime
    run_at: datetime
    priority: Priority
    import_id: UUID | None = None
    """The id of the import that the links come from, from which the ids of its copies are derived."""

    def name_copy(self, key: str) -> UUID:
        """Return the id of the media for one of the file's copies."""
        assert self.import_id is not None
        return copy_media_id(self.import_id, key)


@dataclass(slots=True)
class ImportBatch:
    """A batch of links between look-up, plan and writing: what is known of their pages, and what is to be written."""

    order: BatchOrder
    default_id: UUID
    library_ids: dict[str, UUID] = field(default_factory=dict)
    aliases: dict[str, UUID] = field(default_factory=dict)
    private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    held: bulk.HeldBy = field(default_factory=dict)
    states: dict[UUID, ReadingState] = field(default_factory=dict)
    tags: dict[UUID, tuple[str, ...]] = field(default_factory=dict)
    """The tags of the items that the libraries hold."""
    pages: dict[UUID, KnownPage] = field(default_factory=dict)
    """Pages that existed before, and copies of this file that were written before."""

    new_pages: dict[UUID, PreparedLink] = field(default_factory=dict)
    new_private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    new_items: dict[UUID, Item] = field(default_factory=dict)
    changed_items: dict[UUID, Item] = field(default_factory=dict)
    new_states: dict[UUID, ReadingState] = field(default_factory=dict)
    tagged: dict[tuple[UUID, UUID, str], None] = field(default_factory=dict)
    attempts: dict[UUID, PreparedLink] = field(default_factory=dict)
    """Pages known before that get a fresh attempt."""
    accepting: set[UUID] = field(default_factory=set)
    """Pages known before that may be documents from now on."""
    replaced: dict[UUID, tuple[UUID, UUID]] = field(default_factory=dict)
    """Items whose page could not be kept, each with that page and the one that came with the file."""
    numbers: dict[UUID, int] = field(default_factory=dict)
    """The numbers that apps used for new items in the instance the file comes from."""
    tag_numbers: dict[tuple[UUID, str], int] = field(default_factory=dict)
    """The numbers of tags in that instance, by library and name."""
    last_number: int = 0
    """The highest number that instance has given."""
    highlights: dict[UUID, list[NewHighlight]] = field(default_factory=dict)
    """The highlights in the file, by page."""


def look_up_batch(tx: Connection, order: BatchOrder, links: Sequence[PreparedLink]) -> ImportBatch:
    """Look up what is known of the pages of a batch, in a few statements."""
    default_id = libraries.get_default_library_id(tx, order.user_id)
    batch = ImportBatch(order, default_id)
    batch.library_ids = _find_or_make_libraries(tx, order.user_id, links, order.now)
    library_ids = {order.library_id, default_id, *batch.library_ids.values()}
    urls = {str(link.url) for link in links}
    batch.aliases = bulk.find_aliases(tx, urls)
    batch.private = bulk.find_private_pages(tx, library_ids, urls)
    copies = [key for link in links if link.copy for key in (link.copy.key, link.copy.newer_key) if key]
    known = {*batch.aliases.values(), *batch.private.values(), *map(order.name_copy, copies)}
    batch.held = bulk.find_items(tx, library_ids, known)
    batch.tags = items.list_tags(tx, [item.id for item in batch.held.values()])
    known |= {item.media_id for item in batch.held.values()}
    batch.pages = bulk.find_known_pages(tx, known)
    batch.states = bulk.find_reading_states(tx, order.user_id, known)
    return batch


def _find_or_make_libraries(
    tx: Connection, user_id: UUID, links: Sequence[PreparedLink], now: datetime
) -> dict[str, UUID]:
    """Return the libraries that the user owns, by name; missing ones are made."""
    wanted = {link.library_name for link in links if link.library_name}
    if not wanted:
        return {}
    mine = [library for library, _ in libraries.list_libraries(tx, user_id) if library.owner_id == user_id]
    found = {library.name: library.id for library in mine}
    for name in sorted(wanted - found.keys()):
        made = Library(new_id(), name, user_id, is_default=False, created_at=now, updated_at=now)
        libraries.insert_library(tx, made)
        libraries.insert_member(tx, made.id, user_id, Role.ADMIN, now)
        found[name] = made.id
    return found


def plan_import_batch(batch: ImportBatch, rows: Sequence[PreparedRow]) -> list[ImportedRow]:
    """Decide what becomes of each link of a batch, by the rules of a save that does not wait (`domain/placing.py`).

    Nothing is read or written here: the batch holds what is to be written. Returns the outcome of each row.
    """
    return [_plan(batch, row) if isinstance(row, PreparedLink) else row for row in rows]


def _plan(batch: ImportBatch, link: PreparedLink) -> ImportedRow:
    library_id = batch.library_ids[link.library_name] if link.library_name else batch.order.library_id
    _take_numbers(batch, library_id, link)
    known = _find_known(batch, library_id, link)
    placement = place(known, WantedLink(_tell_brought(link)))
    if known is None or placement.is_new_page:
        page_id = _add_page(batch, library_id, link, placement.place)
    else:
        page_id = _attach_page(batch, known, link, placement)
    if known is None or known.held is None or placement.is_new_item:
        item = _add_item(batch, library_id, page_id, link, link.fields)
        if link.numbers is not None and link.numbers.item is not None:
            batch.numbers[item.id] = link.numbers.item
    else:
        item = known.held
        _add_user_fields(batch, item, link.fields)
        if placement.place is Place.STAND_IN:
            _stand_in(batch, item, page_id, str(link.url))
    _add_to_personal_library(batch, library_id, page_id, link)
    _, read_id = batch.replaced.get(item.id, (None, item.media_id))
    _mark_read(batch, read_id, link.reading)
    _add_highlights(batch, read_id, link)
    outcome = RowOutcome.IMPORTED if placement.is_new_item else RowOutcome.ALREADY_THERE
    return ImportedRow(link.ordinal, str(link.url), outcome, _explain(link, placement), item.id)


def _take_numbers(batch: ImportBatch, library_id: UUID, link: PreparedLink) -> None:
    if link.numbers is not None:
        batch.last_number = max(batch.last_number, link.numbers.last)
        named = ((name, number) for name, number in link.numbers.tags if name in link.fields.tags)
        batch.tag_numbers |= {(library_id, name): number for name, number in named}


def _tell_brought(link: PreparedLink) -> Brought:
    if link.body is None:
        return Brought.NOTHING
    return Brought.COPY if link.copy is not None else Brought.CONTENT


def _explain(link: PreparedLink, placement: Placement) -> str | None:
    told = [NOTICES[notice] for notice in link.notices]
    if link.body is not None and not placement.is_new_item:
        told.append(STANDS_FOR_IT if placement.place is Place.STAND_IN else HAS_ARTICLE_ALREADY)
    return " ".join(told) or None


def _find_known(batch: ImportBatch, library_id: UUID, link: PreparedLink) -> KnownPage | None:
    """Return the page the library holds at the URL; else its own whose item was removed, or the shared one."""
    url, copy = str(link.url), link.copy
    own_id = batch.private.get((library_id, url))
    copy_ids = [batch.order.name_copy(copy.key)] if copy else []
    held_id = _find_held_page(batch, library_id, url, copy_ids)
    if held_id is not None:
        item = batch.held[library_id, held_id]
        newer_id = batch.order.name_copy(copy.newer_key) if copy and copy.newer_key else None
        is_private = own_id is not None or item.id in batch.replaced
        known = batch.pages.get(held_id, KnownPage(held_id))
        return replace(known, held=item, is_private=is_private, is_newer_copy=item.media_id == newer_id)
    if own_id is not None and not _is_older_copy(link):
        return replace(batch.pages.get(own_id, KnownPage(own_id)), is_private=True)
    shared_id = batch.aliases.get(url)
    return batch.pages.get(shared_id, KnownPage(shared_id)) if shared_id is not None else None


def _find_held_page(batch: ImportBatch, library_id: UUID, url: str, copy_ids: Sequence[UUID] = ()) -> UUID | None:
    own = batch.new_private.get((library_id, url)), batch.private.get((library_id, url))
    page_ids = (*copy_ids, *own, batch.aliases.get(url))
    return next((page_id for page_id in page_ids if page_id and (library_id, page_id) in batch.held), None)


def _is_older_copy(link: PreparedLink) -> bool:
    return link.copy is not None and link.copy.newer_key is not None


def _add_page(batch: ImportBatch, library_id: UUID, link: PreparedLink, where: Place) -> UUID:
    """Add a new page; the items of one copy share it, and the library's URL leads to the newest copy."""
    media_id = batch.order.name_copy(link.copy.key) if link.copy and link.body else new_media_id()
    if media_id not in batch.pages:
        batch.new_pages.setdefault(media_id, link)
    if where is Place.NEW_PAGE:
        batch.aliases[str(link.url)] = media_id
    elif not _is_older_copy(link):
        batch.new_private[library_id, str(link.url)] = media_id
    return media_id


def _attach_page(batch: ImportBatch, known: KnownPage, link: PreparedLink, placement: Placement) -> UUID:
    if placement.is_ingested:
        batch.attempts[known.media_id] = link
    if placement.accepts_documents_now:
        batch.accepting.add(known.media_id)
    return known.media_id


def _stand_in(batch: ImportBatch, item: Item, media_id: UUID, url: str) -> None:
    """Let a file's page replace a failed one, in this library and the personal one; other libraries keep theirs."""
    failed_id = item.media_id
    for library_id in {item.library_id, batch.default_id}:
        held = batch.held.get((library_id, failed_id))
        if held is not None and (library_id, url) not in batch.private:
            batch.replaced[held.id] = failed_id, media_id
            batch.new_private[library_id, url] = media_id
    batch.states[media_id] = batch.states.get(failed_id, UNREAD)


def _add_item(batch: ImportBatch, library_id: UUID, media_id: UUID, link: PreparedLink, fields: UserFields) -> Item:
    order = batch.order
    item = new_item(library_id, media_id, link.given_url, order.user_id, fields, now=order.now)
    item = replace(item, created_at=link.added_at or order.now, updated_at=link.updated_at or order.now)
    batch.new_items[item.id] = batch.held[library_id, media_id] = item
    _add_tags(batch, item, fields.tags)
    return item


def _add_to_personal_library(batch: ImportBatch, library_id: UUID, media_id: UUID, link: PreparedLink) -> None:
    own_id, url = batch.default_id, str(link.url)
    if library_id == own_id or link.is_exact or _find_held_page(batch, own_id, url, [media_id]) is not None:
        return
    _add_item(batch, own_id, media_id, link, NO_FIELDS)
    if media_id in batch.new_private.values() and (own_id, url) not in batch.private:
        batch.new_private[own_id, url] = media_id


def _add_tags(batch: ImportBatch, item: Item, tags: tuple[str, ...]) -> None:
    batch.tags[item.id] = batch.tags.get(item.id, ()) + tags
    batch.tagged |= dict.fromkeys((item.library_id, item.id, tag) for tag in tags)


def _add_user_fields(batch: ImportBatch, item: Item, fields: UserFields) -> None:
    changed, tags = add_to(item, batch.tags.get(item.id, ()), fields, batch.order.now)
    if changed is item:
        return
    _add_tags(batch, item, tags)
    (batch.new_items if item.id in batch.new_items else batch.changed_items)[item.id] = changed
    batch.held |= {key: changed for key, held in batch.held.items() if held.id == item.id}


def _add_highlights(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> None:
    if link.highlights:
        batch.highlights.setdefault(media_id, []).extend(link.highlights)


def _mark_read(batch: ImportBatch, media_id: UUID, brought: ReadingState) -> None:
    known = batch.states.get(media_id, UNREAD)
    joined = join_reading(known, brought)
    if joined != known:
        batch.states[media_id] = batch.new_states[media_id] = joined


def write_import_batch(tx: Connection, batch: ImportBatch) -> None:
    """Write a batch of imported links: pages, items, jobs, the index, in the transaction of the import."""
    accept_documents(tx, batch.accepting)
    private = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is not None]
    public = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is None]
    bulk.insert_media(tx, public, batch.order.now, is_private=False)
    bulk.insert_media(tx, private, batch.order.now, is_private=True)
    bulk.fill_copies(tx, [_copy_row(batch, key, link) for key, link in batch.new_pages.items() if link.copy])
    bulk.insert_image_assets(tx, [row for key, link in batch.new_pages.items() for row in _image_rows(key, link)])
    for key, link in batch.new_pages.items():
        for one in link.images.captures if link.images else ():
            made = captures.NewCapture(one.format, one.blob_key, one.content_type, one.size, one.digest)
            captures.put_capture(tx, key, made, batch.order.user_id, batch.order.now)
            if one.format is CaptureFormat.DOCUMENT:  # read anew, by the job
                update_media(tx, key, batch.order.now, kind=type_of(one.content_type).kind)
    bulk.insert_aliases(tx, public)
    bulk.insert_private_pages(tx, batch.new_private)
    bulk.insert_snapshots(
        tx, {key: _snapshot(link, batch.order.now) for key, link in batch.new_pages.items() if link.body}
    )
    # this comes first, so that no number in the file is given to an item without one
    sync.advance(tx, batch.last_number)
    bulk.insert_items(tx, list(batch.new_items.values()))
    sync.restore(tx, NumberKind.ITEM, batch.numbers)
    bulk.replace_pages(tx, batch.replaced, batch.order.now)
    for old_id, fresh_id in set(batch.replaced.values()):
        highlights.move_highlights(tx, old_id, fresh_id, highlights.list_followers(tx, old_id, fresh_id))
    for item in batch.changed_items.values():
        items.update_user_fields(tx, item.id, item, item.updated_at)
    new_tags = bulk.add_tags(tx, list(batch.tagged))
    known = {tag_id: batch.tag_numbers[key] for key, tag_id in new_tags.items() if key in batch.tag_numbers}
    sync.restore(tx, NumberKind.TAG, known)
    said_of = {*batch.new_items, *batch.changed_items, *(item_id for _, item_id, _ in batch.tagged)}
    index.index_items(tx, list(said_of))
    for media_id in (key for key, link in batch.new_pages.items() if link.copy):
        index.index_page(tx, media_id)
    bulk.put_reading_states(tx, batch.order.user_id, batch.new_states, batch.order.now)
    jobs = [_ingest_job(batch, media_id, link) for media_id, link in batch.new_pages.items()]
    queue.enqueue_new(tx, jobs, now=batch.order.now)
    for media_id, link in batch.attempts.items():
        queue.enqueue(tx, _ingest_job(batch, media_id, link), now=batch.order.now)
    import_highlights(tx, batch.order.user_id, batch.highlights, now=batch.order.now)


def _snapshot(link: PreparedLink, now: datetime) -> Snapshot:
    assert link.body is not None
    headers = {"content-type": "text/html; charset=utf-8"}
    if link.copy is None:
        return Snapshot(str(link.url), headers, link.body, now)
    kept_at = link.copy.page.get("kept_at")
    return Snapshot(
        str(link.url), headers | {COPY_HEADER: "1"}, link.body, kept_at if isinstance(kept_at, datetime) else now
    )


def _copy_row(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> dict[str, object]:
    """Return what the page said of itself, without its canonical URL: only a page we fetched ourselves may set that."""
    assert link.copy is not None
    newer = batch.order.name_copy(link.copy.newer_key) if link.copy.newer_key else None
    said = {name: value for name, value in link.copy.page.items() if name != "kept_at"}
    key = link.images.screenshot_key if link.images else None
    return said | {
        "media_id": media_id,
        "thumbnail_key": key,
        "superseded_by": newer if newer in batch.pages or newer in batch.new_pages else None,
    }


def _image_rows(media_id: UUID, link: PreparedLink) -> list[dict[str, object]]:
    """Return a row for each stored image, with its id, origin, key and type."""
    names = ("id", "origin_url", "blob_key", "content_type")
    kept = link.images.images if link.images else ()
    return [{"media_id": media_id, **dict(zip(names, image, strict=True))} for image in kept]


def _ingest_job(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> NewJob:
    """Return the ingest job of a page; one that came with the file is not fetched and has no host to wait for."""
    host, order = link.url.host if link.body is None else None, batch.order
    return ingest_job(media_id, host, order.run_at, order.user_id, priority=order.priority)


async def save_content(saver: LinkSaver, viewer: Viewer, url: str, html: str, fields: UserFields = NO_FIELDS) -> Card:
    """Save a page whose content came with the request: nothing is fetched, and nobody else is led to it.

    The rules are those of an import of one link that brought its page (docs/decisions/0020): a library that has the
    page's article keeps it. Returns the card of the item in the viewer's own library.
    """
    if len(html) > MAX_CONTENT_CHARACTERS:
        raise TooLarge
    now = saver.now()
    said = ImportedLink(url, fields.title, fields.excerpt, fields.note, fields.tags, content=ImportedPage(html))
    [row] = prepare_rows([said], first=0, folder_use=FolderUse.TAGS, now=now)
    if not isinstance(row, PreparedLink):
        raise UrlInvalid(row.reason)
    card = await saver.database.write(_save, viewer, row, now)
    saver.notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _save(tx: Connection, viewer: Viewer, link: PreparedLink, now: datetime) -> Card:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    batch = look_up_batch(tx, BatchOrder(viewer.user_id, library_id, now, now, Priority.PERSON), [link])
    [outcome] = plan_import_batch(batch, [link])
    write_import_batch(tx, batch)
    if outcome.item_id is None:
        raise InvalidRequest(outcome.reason)
    card = get_card(tx, viewer, outcome.item_id)
    events.publish_event(tx, card.media.id, "added", now)
    return card
