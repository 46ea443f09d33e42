"""Saving many links in one transaction, by the rules of a single save; a page that brings its content is a batch of
one."""

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
from kept.domain.importing import Import, ImportedRow, ImportState, RowOutcome
from kept.domain.item import NO_FIELDS, Card, Item, ReadingState, UserFields, fill_gaps
from kept.domain.job import JobKind, NewJob, Priority
from kept.domain.library import Library, Role
from kept.domain.lifecycle import RETRYABLE, deserves_fresh_attempt
from kept.domain.synced import NumberKind
from kept.ids import new_id, new_media_id
from kept.services.highlights.annotations import import_highlights
from kept.services.pages.cards import get_card
from kept.services.saving.links import LinkSaver
from kept.storage import bulk, captures, events, highlights, items, libraries, media, sync
from kept.storage.database.engine import Connection
from kept.storage.media import COPY_HEADER, Snapshot
from kept.storage.queue import queue
from kept.storage.search import index
from kept.urls.given import NOTICES

UNREAD: Final = ReadingState()
HAS_ARTICLE_ALREADY: Final = "The text that came with it was not needed: the page was here."
STANDS_FOR_IT: Final = "The page could not be kept before; the text that came with it stands for it now."


@dataclass(slots=True)
class ImportBatch:
    """A batch of imported links between look-up, plan and writing.

    What is known of the pages of a batch, and what is to be written.
    """

    owner: Import
    default_id: UUID
    now: datetime
    library_ids: dict[str, UUID] = field(default_factory=dict)
    aliases: dict[str, UUID] = field(default_factory=dict)
    private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    held: bulk.HeldBy = field(default_factory=dict)
    states: dict[UUID, ReadingState] = field(default_factory=dict)
    known_copies: set[UUID] = field(default_factory=set)
    """Copies of this file that were written before."""
    failed: set[UUID] = field(default_factory=set)
    """Pages that could not be kept."""

    new_pages: dict[UUID, PreparedLink] = field(default_factory=dict)
    new_private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    new_items: dict[UUID, Item] = field(default_factory=dict)
    changed_items: dict[UUID, Item] = field(default_factory=dict)
    new_states: dict[UUID, ReadingState] = field(default_factory=dict)
    tagged: dict[tuple[UUID, UUID, str], None] = field(default_factory=dict)
    attached: dict[UUID, PreparedLink] = field(default_factory=dict)
    """Pages known before that got a new item."""
    replaced: dict[UUID, tuple[UUID, UUID]] = field(default_factory=dict)
    """Items whose page could not be kept: that page, and the one that came with the file."""
    numbers: dict[UUID, int] = field(default_factory=dict)
    """What apps called new items where the file comes from."""
    tag_numbers: dict[tuple[UUID, str], int] = field(default_factory=dict)
    """The same of tags, by library and name."""
    last_number: int = 0
    """The highest that was given there."""
    highlights: dict[UUID, list[NewHighlight]] = field(default_factory=dict)
    """What the file says was marked, by page."""


@dataclass(frozen=True, slots=True)
class PageToSave:
    url: str
    html: str
    fields: UserFields


def look_up_batch(tx: Connection, owner: Import, links: Sequence[PreparedLink], now: datetime) -> ImportBatch:
    """Look up what is known of the pages of an import's batch, in a few statements."""
    default_id = libraries.get_default_library_id(tx, owner.user_id)
    batch = ImportBatch(owner, default_id, now)
    batch.library_ids = _find_or_make_libraries(tx, owner.user_id, links, now)
    library_ids = {owner.library_id, default_id, *batch.library_ids.values()}
    urls = {str(link.url) for link in links}
    batch.aliases = bulk.find_aliases(tx, urls)
    batch.private = bulk.find_private_pages(tx, library_ids, urls)
    copies = [key for link in links if link.copy for key in (link.copy.key, link.copy.newer_key) if key]
    copy_ids = {copy_media_id(owner.id, key) for key in copies}
    batch.known_copies = set(bulk.find_statuses(tx, copy_ids))
    known = {*batch.aliases.values(), *batch.private.values(), *copy_ids}
    batch.held = bulk.find_items(tx, library_ids, known)
    held = {item.media_id for item in batch.held.values()}
    batch.states = bulk.find_reading_states(tx, owner.user_id, known | held)
    if any(link.body for link in links):
        statuses = bulk.find_statuses(tx, held)
        batch.failed = {media_id for media_id, status in statuses.items() if status in RETRYABLE}
    return batch


def _find_or_make_libraries(
    tx: Connection, user_id: UUID, links: Sequence[PreparedLink], now: datetime
) -> dict[str, UUID]:
    """By name, among those the user owns; what is missing is made."""
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
    """Decide what a batch of imported links comes to, from what was looked up; nothing is read or written here.

    The rules are those of a save that does not wait: a known URL needs no fetch, what is there is added to and never
    overwritten, a library also means the personal one. What came with a page makes a media of its own that nobody else
    is led to.

    What became of each row; what is to be written is in the batch.
    """
    return [_place(batch, row) if isinstance(row, PreparedLink) else row for row in rows]


def _place(batch: ImportBatch, link: PreparedLink) -> ImportedRow:
    url = str(link.url)
    library_id = batch.library_ids[link.library_name] if link.library_name else batch.owner.library_id
    _take_numbers(batch, library_id, link)
    item = _find_held_copy(batch, library_id, link) or _find_held(batch, library_id, url)
    if item is not None and not _is_another_copy(batch, item, link):
        return _meet(batch, item, link)
    media_id = _choose_page(batch, library_id, link)
    item = _add_item(batch, library_id, media_id, link, link.fields)
    if link.numbers is not None and link.numbers.item is not None:
        batch.numbers[item.id] = link.numbers.item
    if library_id != batch.default_id and not link.is_exact and _find_held(batch, batch.default_id, url) is None:
        _add_item(batch, batch.default_id, media_id, link, NO_FIELDS)
        if media_id in batch.new_private.values() and (batch.default_id, url) not in batch.private:
            batch.new_private[batch.default_id, url] = media_id
    _mark_read(batch, media_id, link.reading)
    _add_highlights(batch, media_id, link)
    return ImportedRow(link.ordinal, url, RowOutcome.IMPORTED, _tell_notices(link), item.id)


def _take_numbers(batch: ImportBatch, library_id: UUID, link: PreparedLink) -> None:
    if link.numbers is not None:
        batch.last_number = max(batch.last_number, link.numbers.last)
        named = ((name, number) for name, number in link.numbers.tags if name in link.fields.tags)
        batch.tag_numbers |= {(library_id, name): number for name, number in named}


def _tell_notices(link: PreparedLink) -> str | None:
    return " ".join(NOTICES[notice] for notice in link.notices) or None


def _meet(batch: ImportBatch, item: Item, link: PreparedLink) -> ImportedRow:
    """A page the library holds: its item is added to, and if we have no article of it, the file's is taken."""
    _add_user_fields(batch, item, link.fields)
    reason = _tell_notices(link)
    if link.body is not None:
        told = STANDS_FOR_IT if _stand_in(batch, item, link) else HAS_ARTICLE_ALREADY
        reason = f"{reason} {told}" if reason else told
    _, media_id = batch.replaced.get(item.id, (None, item.media_id))
    _mark_read(batch, media_id, link.reading)
    _add_highlights(batch, media_id, link)
    return ImportedRow(link.ordinal, str(link.url), RowOutcome.ALREADY_THERE, reason, item.id)


def _stand_in(batch: ImportBatch, item: Item, link: PreparedLink) -> bool:
    """Only in this library and the personal one: what others hold of the page stays as it is."""
    failed_id, url = item.media_id, str(link.url)
    is_ours = (item.library_id, url) in batch.private  # it came with a file before, and nothing could be made of it
    if link.copy is not None or is_ours or failed_id not in batch.failed or item.id in batch.replaced:
        return False
    media_id = new_media_id()
    batch.new_pages[media_id] = link
    for library_id in {item.library_id, batch.default_id}:
        held = batch.held.get((library_id, failed_id))
        if held is not None and (library_id, url) not in batch.private:
            batch.replaced[held.id] = failed_id, media_id
            batch.new_private[library_id, url] = media_id
    batch.states[media_id] = batch.states.get(failed_id, UNREAD)
    return True


def _find_held(batch: ImportBatch, library_id: UUID, url: str) -> Item | None:
    pages = (
        batch.new_private.get((library_id, url)),
        batch.private.get((library_id, url)),
        batch.aliases.get(url),
    )
    found = (batch.held.get((library_id, media_id)) for media_id in pages if media_id is not None)
    return next((item for item in found if item is not None), None)


def _find_held_copy(batch: ImportBatch, library_id: UUID, link: PreparedLink) -> Item | None:
    return batch.held.get((library_id, copy_media_id(batch.owner.id, link.copy.key))) if link.copy else None


def _is_another_copy(batch: ImportBatch, item: Item, link: PreparedLink) -> bool:
    """An older copy stands beside the newer one of its page, if that one came with the same file."""
    if link.copy is None or link.copy.newer_key is None:
        return False
    return item.media_id == copy_media_id(batch.owner.id, link.copy.newer_key)


def _is_older_copy(link: PreparedLink) -> bool:
    return link.copy is not None and link.copy.newer_key is not None


def _choose_copy(batch: ImportBatch, library_id: UUID, link: PreparedLink, key: str, newer_key: str | None) -> UUID:
    media_id = copy_media_id(batch.owner.id, key)
    if media_id not in batch.known_copies:
        batch.new_pages[media_id] = link
        batch.known_copies.add(media_id)
    if newer_key is None:
        batch.new_private[library_id, str(link.url)] = media_id
    return media_id


def _choose_page(batch: ImportBatch, library_id: UUID, link: PreparedLink) -> UUID:
    url = str(link.url)
    if (library_id, url) in batch.private and not _is_older_copy(link):  # its item was removed a moment ago
        return batch.private[library_id, url]
    if link.copy is not None and link.body is not None:
        return _choose_copy(batch, library_id, link, link.copy.key, link.copy.newer_key)
    if link.body is not None:
        media_id = new_media_id()
        batch.new_pages[media_id] = link
        batch.new_private[library_id, url] = media_id
        return media_id
    if url in batch.aliases:
        known_id = batch.aliases[url]
        if known_id not in batch.new_pages:
            batch.attached[known_id] = link
        return known_id
    media_id = new_media_id()
    batch.new_pages[media_id] = link
    batch.aliases[url] = media_id
    return media_id


def _add_item(batch: ImportBatch, library_id: UUID, media_id: UUID, link: PreparedLink, fields: UserFields) -> Item:
    item = Item(
        id=new_id(),
        library_id=library_id,
        media_id=media_id,
        url=link.given_url,
        added_by=batch.owner.user_id,
        title=fields.title,
        excerpt=fields.excerpt,
        note=fields.note,
        created_at=link.added_at or batch.now,
        updated_at=link.updated_at or batch.now,
    )
    batch.new_items[item.id] = batch.held[library_id, media_id] = item
    batch.tagged |= dict.fromkeys((library_id, item.id, tag) for tag in fields.tags)
    return item


def _add_user_fields(batch: ImportBatch, item: Item, fields: UserFields) -> None:
    """As a second save does: tags are added, gaps filled, notes joined unless they say it already."""
    batch.tagged |= dict.fromkeys((item.library_id, item.id, tag) for tag in fields.tags)
    changed = fill_gaps(item, fields)
    if changed == item:
        return
    changed = replace(changed, updated_at=batch.now)
    (batch.new_items if item.id in batch.new_items else batch.changed_items)[item.id] = changed
    for key, held in batch.held.items():
        if held.id == item.id:
            batch.held[key] = changed
            break


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
    private = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is not None]
    public = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is None]
    bulk.insert_media(tx, public, batch.now, is_private=False)
    bulk.insert_media(tx, private, batch.now, is_private=True)
    bulk.fill_copies(tx, [_copy_row(batch, key, link) for key, link in batch.new_pages.items() if link.copy])
    bulk.insert_image_assets(tx, [row for key, link in batch.new_pages.items() for row in _image_rows(key, link)])
    for key, link in batch.new_pages.items():
        for one in link.images.captures if link.images else ():
            made = captures.NewCapture(one.format, one.blob_key, one.content_type, one.size, one.digest)
            captures.put_capture(tx, key, made, batch.owner.user_id, batch.now)
            if one.format is CaptureFormat.DOCUMENT:  # read anew, by the job
                media.update_media(tx, key, batch.now, kind=type_of(one.content_type).kind)
    bulk.insert_aliases(tx, public)
    bulk.insert_private_pages(tx, batch.new_private)
    bulk.insert_snapshots(tx, {key: _snapshot(link, batch.now) for key, link in batch.new_pages.items() if link.body})
    # first, so that none of those the file brings is given to what comes without one
    sync.advance(tx, batch.last_number)
    bulk.insert_items(tx, list(batch.new_items.values()))
    sync.restore(tx, NumberKind.ITEM, batch.numbers)
    bulk.replace_pages(tx, batch.replaced, batch.now)
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
    bulk.put_reading_states(tx, batch.owner.user_id, batch.new_states, batch.now)
    jobs = [_ingest_job(batch, media_id, link) for media_id, link in batch.new_pages.items()]
    queue.enqueue_new(tx, jobs, now=batch.now)
    _give_fresh_attempts(tx, batch)
    import_highlights(tx, batch.owner.user_id, batch.highlights, now=batch.now)


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
    """What the page said of itself; never its canonical URL, which is for what we fetched ourselves."""
    assert link.copy is not None
    newer = copy_media_id(batch.owner.id, link.copy.newer_key) if link.copy.newer_key else None
    said = {name: value for name, value in link.copy.page.items() if name != "kept_at"}
    key = link.images.screenshot_key if link.images else None
    return said | {
        "media_id": media_id,
        "thumbnail_key": key,
        "superseded_by": newer if newer in batch.known_copies else None,
    }


def _image_rows(media_id: UUID, link: PreparedLink) -> list[dict[str, object]]:
    """Each with its id, origin, key and type."""
    names = ("id", "origin_url", "blob_key", "content_type")
    kept = link.images.images if link.images else ()
    return [{"media_id": media_id, **dict(zip(names, image, strict=True))} for image in kept]


def _ingest_job(batch: ImportBatch, media_id: UUID, link: PreparedLink) -> NewJob:
    """A page that came with the file is not fetched, and owes its host no politeness."""
    host = link.url.host if link.body is None else None
    run_at = max(batch.owner.crawl_at or batch.now, batch.now)
    return NewJob(JobKind.INGEST, media_id, host, Priority.IMPORT, run_at, batch.owner.user_id, request_id=None)


def _give_fresh_attempts(tx: Connection, batch: ImportBatch) -> None:
    """A new item on a page that failed gives it one more chance."""
    statuses = bulk.find_statuses(tx, batch.attached.keys())
    for media_id, status in statuses.items():
        if deserves_fresh_attempt(status):
            queue.enqueue(tx, _ingest_job(batch, media_id, batch.attached[media_id]), now=batch.now)


async def save_content(saver: LinkSaver, viewer: Viewer, page: PageToSave) -> Card:
    """Save a page whose content came with the request: nothing is fetched, and nobody else is led to it.

    By the rules of an import of one link that brought its page (docs/decisions/0086): a library that has the page's
    article keeps the one it has.

    Its item in the viewer's own library.
    """
    if len(page.html) > MAX_CONTENT_CHARACTERS:
        raise TooLarge
    now = saver.now()
    card = await saver.database.write(_save, viewer, _prepare(page, now), now)
    saver.notifier.notify(JobKind.INGEST, card.media.id)
    return card


def _prepare(page: PageToSave, now: datetime) -> PreparedLink:
    imported = ImportedLink(
        url=page.url,
        title=page.fields.title,
        excerpt=page.fields.excerpt,
        note=page.fields.note,
        tags=page.fields.tags,
        content=ImportedPage(page.html),
    )
    [row] = prepare_rows([imported], first=0, folder_use=FolderUse.TAGS, now=now)
    if not isinstance(row, PreparedLink):
        raise UrlInvalid(row.reason)
    return row


def _save(tx: Connection, viewer: Viewer, link: PreparedLink, now: datetime) -> Card:
    library_id = libraries.get_default_library_id(tx, viewer.user_id)
    batch = look_up_batch(tx, _one_row_import(viewer, library_id, now), [link], now)
    [outcome] = plan_import_batch(batch, [link])
    write_import_batch(tx, batch)
    if outcome.item_id is None:
        raise InvalidRequest(outcome.reason)
    card = get_card(tx, viewer, outcome.item_id)
    if card.media.id in batch.new_pages:  # a person waits for it, unlike for an import
        job = NewJob(JobKind.INGEST, card.media.id, None, Priority.PERSON, now, viewer.user_id, None)
        queue.enqueue(tx, job, now=now)
    events.publish_event(tx, card.media.id, "added", now)
    return card


def _one_row_import(viewer: Viewer, library_id: UUID, now: datetime) -> Import:
    """Only the plan of a batch knows it; it is not stored."""
    return Import(
        id=new_id(),
        user_id=viewer.user_id,
        library_id=library_id,
        format="",
        file_name="",
        blob_key="",
        state=ImportState.RUNNING,
        rows_total=1,
        options={},
        report=None,
        problem=None,
        created_at=now,
        updated_at=now,
    )
