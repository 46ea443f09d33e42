"""Write a batch of imported links: items, pages, jobs and the rows that tell of them, in one short transaction.

The rules are those of a save that does not wait (`save_link`): a known address needs no fetch, what is there is added
to and never overwritten, a library also means the personal one. What came with a page makes a media of its own that
nobody else is led to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID, uuid5

from kept.domain.imported import join_reading
from kept.domain.importing import Import, ImportedRow, RowOutcome
from kept.domain.item import NO_WORDS, Item, ReadingState, Words, join_notes
from kept.domain.library import Library, Role
from kept.jobs import queue
from kept.jobs.queue import JobKind, NewJob, Priority, Queue
from kept.services.merge_media import wants_fresh_attempt
from kept.services.prepare_rows import PreparedLink, PreparedRow
from kept.storage import bulk, imports, items, libraries, search_index
from kept.storage.columns import new_id, new_media_id
from kept.storage.database import AsyncConnection
from kept.storage.media import Snapshot

UNREAD = ReadingState()
# On a snapshot that is a file of another Kept's, whose article is only to be made safe again.
COPY_HEADER: Final = "kept-copy"
HAS_ARTICLE_ALREADY = "The text that came with it was not needed: the page was here."


@dataclass(slots=True)
class Batch:
    """What is known of the pages of a batch, and what is to be written."""

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

    new_pages: dict[UUID, PreparedLink] = field(default_factory=dict)
    new_private: dict[tuple[UUID, str], UUID] = field(default_factory=dict)
    new_items: dict[UUID, Item] = field(default_factory=dict)
    changed_items: dict[UUID, Item] = field(default_factory=dict)
    new_states: dict[UUID, ReadingState] = field(default_factory=dict)
    tagged: dict[tuple[UUID, UUID, str], None] = field(default_factory=dict)
    attached: dict[UUID, PreparedLink] = field(default_factory=dict)
    """Pages known before that got a new item."""


async def place_links(tx: AsyncConnection, owner: Import, rows: Sequence[PreparedRow], now: datetime) -> None:
    links = [row for row in rows if isinstance(row, PreparedLink)]
    batch = await look_up(tx, owner, links, now)
    outcomes = [place(batch, row) if isinstance(row, PreparedLink) else row for row in rows]
    await write(tx, batch)
    await imports.insert_rows(tx, owner.id, outcomes)


async def look_up(tx: AsyncConnection, owner: Import, links: Sequence[PreparedLink], now: datetime) -> Batch:
    default_id = await libraries.get_default_library_id(tx, owner.user_id)
    batch = Batch(owner, default_id, now)
    batch.library_ids = await find_or_make_libraries(tx, owner.user_id, links, now)
    shelves = {owner.library_id, default_id, *batch.library_ids.values()}
    urls = {str(link.url) for link in links}
    batch.aliases = await bulk.find_aliases(tx, urls)
    batch.private = await bulk.find_private_pages(tx, shelves, urls)
    copies = [key for link in links if link.copy for key in (link.copy.key, link.copy.newer_key) if key]
    copy_ids = {copy_media_id(owner.id, key) for key in copies}
    batch.known_copies = set(await bulk.find_statuses(tx, copy_ids))
    known = {*batch.aliases.values(), *batch.private.values(), *copy_ids}
    batch.held = await bulk.find_items(tx, shelves, known)
    batch.states = await bulk.find_reading_states(
        tx, owner.user_id, {*known, *(i.media_id for i in batch.held.values())}
    )
    return batch


async def find_or_make_libraries(
    tx: AsyncConnection, user_id: UUID, links: Sequence[PreparedLink], now: datetime
) -> dict[str, UUID]:
    """By name, among those the user owns; what is missing is made."""
    wanted = {link.library_name for link in links if link.library_name}
    if not wanted:
        return {}
    mine = [library for library, _ in await libraries.list_libraries(tx, user_id) if library.owner_id == user_id]
    found = {library.name: library.id for library in mine}
    for name in sorted(wanted - found.keys()):
        made = Library(new_id(), name, user_id, is_default=False, created_at=now, updated_at=now)
        await libraries.insert_library(tx, made)
        await libraries.insert_member(tx, made.id, user_id, Role.ADMIN, now)
        found[name] = made.id
    return found


# --- deciding, without the database -------------------------------------------------------------------------------


def place(batch: Batch, link: PreparedLink) -> ImportedRow:
    url = str(link.url)
    library_id = batch.library_ids[link.library_name] if link.library_name else batch.owner.library_id
    item = find_held_copy(batch, library_id, link) or find_held(batch, library_id, url)
    if item is not None and not is_another_copy(batch, item, link):
        add_words(batch, item, link.words)
        mark_read(batch, item.media_id, link.reading)
        reason = HAS_ARTICLE_ALREADY if link.body is not None else None
        return ImportedRow(link.ordinal, url, RowOutcome.ALREADY_THERE, reason, item.id)
    media_id = choose_page(batch, library_id, link)
    item = add_item(batch, library_id, media_id, link, link.words)
    if library_id != batch.default_id and not link.is_exact and find_held(batch, batch.default_id, url) is None:
        add_item(batch, batch.default_id, media_id, link, NO_WORDS)
        if media_id in batch.new_private.values() and (batch.default_id, url) not in batch.private:
            batch.new_private[batch.default_id, url] = media_id
    mark_read(batch, media_id, link.reading)
    return ImportedRow(link.ordinal, url, RowOutcome.IMPORTED, item_id=item.id)


def find_held(batch: Batch, library_id: UUID, url: str) -> Item | None:
    pages = (
        batch.new_private.get((library_id, url)),
        batch.private.get((library_id, url)),
        batch.aliases.get(url),
    )
    found = (batch.held.get((library_id, media_id)) for media_id in pages if media_id is not None)
    return next((item for item in found if item is not None), None)


def copy_media_id(import_id: UUID, key: str) -> UUID:
    """The same for the items of one page, and when an import is taken up again; it tells nobody anything."""
    return uuid5(import_id, key)


def find_held_copy(batch: Batch, library_id: UUID, link: PreparedLink) -> Item | None:
    return batch.held.get((library_id, copy_media_id(batch.owner.id, link.copy.key))) if link.copy else None


def is_another_copy(batch: Batch, item: Item, link: PreparedLink) -> bool:
    """An older copy stands beside the newer one of its page, if that one came with the same file."""
    if link.copy is None or link.copy.newer_key is None:
        return False
    return item.media_id == copy_media_id(batch.owner.id, link.copy.newer_key)


def is_older_copy(link: PreparedLink) -> bool:
    return link.copy is not None and link.copy.newer_key is not None


def choose_copy(batch: Batch, library_id: UUID, link: PreparedLink, key: str, newer_key: str | None) -> UUID:
    media_id = copy_media_id(batch.owner.id, key)
    if media_id not in batch.known_copies:
        batch.new_pages[media_id] = link
        batch.known_copies.add(media_id)
    if newer_key is None:
        batch.new_private[library_id, str(link.url)] = media_id
    return media_id


def choose_page(batch: Batch, library_id: UUID, link: PreparedLink) -> UUID:
    url = str(link.url)
    if (library_id, url) in batch.private and not is_older_copy(link):  # its item was removed a moment ago
        return batch.private[library_id, url]
    if link.copy is not None and link.body is not None:
        return choose_copy(batch, library_id, link, link.copy.key, link.copy.newer_key)
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


def add_item(batch: Batch, library_id: UUID, media_id: UUID, link: PreparedLink, words: Words) -> Item:
    item = Item(
        id=new_id(),
        library_id=library_id,
        media_id=media_id,
        url=str(link.url),
        added_by=batch.owner.user_id,
        title=words.title,
        excerpt=words.excerpt,
        note=words.note,
        created_at=link.added_at or batch.now,
        updated_at=link.updated_at or batch.now,
    )
    batch.new_items[item.id] = batch.held[library_id, media_id] = item
    batch.tagged |= dict.fromkeys((library_id, item.id, tag) for tag in words.tags)
    return item


def add_words(batch: Batch, item: Item, words: Words) -> None:
    """As a second save does: tags are added, gaps filled, notes joined unless they say it already."""
    batch.tagged |= dict.fromkeys((item.library_id, item.id, tag) for tag in words.tags)
    says_it = words.note is not None and words.note in (item.note or "")
    changed = replace(
        item,
        title=item.title or words.title,
        excerpt=item.excerpt or words.excerpt,
        note=item.note if says_it else join_notes(item.note, words.note),
    )
    if changed == item:
        return
    changed = replace(changed, updated_at=batch.now)
    (batch.new_items if item.id in batch.new_items else batch.changed_items)[item.id] = changed
    for key, held in batch.held.items():
        if held.id == item.id:
            batch.held[key] = changed
            break


def mark_read(batch: Batch, media_id: UUID, brought: ReadingState) -> None:
    known = batch.states.get(media_id, UNREAD)
    joined = join_reading(known, brought)
    if joined != known:
        batch.states[media_id] = batch.new_states[media_id] = joined


# --- writing ------------------------------------------------------------------------------------------------------


async def write(tx: AsyncConnection, batch: Batch) -> None:
    private = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is not None]
    public = [(key, str(link.url)) for key, link in batch.new_pages.items() if link.body is None]
    await bulk.insert_media(tx, public, batch.now, is_private=False)
    await bulk.insert_media(tx, private, batch.now, is_private=True)
    await bulk.fill_copies(tx, [copy_row(batch, key, link) for key, link in batch.new_pages.items() if link.copy])
    await bulk.insert_image_assets(tx, [row for key, link in batch.new_pages.items() for row in image_rows(key, link)])
    await bulk.insert_aliases(tx, public)
    await bulk.insert_private_pages(tx, batch.new_private)
    await bulk.insert_snapshots(
        tx, {key: snapshot(link, batch.now) for key, link in batch.new_pages.items() if link.body}
    )
    await bulk.insert_items(tx, list(batch.new_items.values()))
    for item in batch.changed_items.values():
        words = {"title": item.title, "excerpt": item.excerpt, "note": item.note}
        await items.update_item(tx, item.id, **words, updated_at=item.updated_at)
    await bulk.add_tags(tx, list(batch.tagged))
    said_of = {*batch.new_items, *batch.changed_items, *(item_id for _, item_id, _ in batch.tagged)}
    await search_index.index_items(tx, list(said_of))
    for media_id in (key for key, link in batch.new_pages.items() if link.copy):
        await search_index.index_page(tx, media_id)
    await bulk.put_reading_states(tx, batch.owner.user_id, batch.new_states, batch.now)
    jobs = [ingest_job(batch, media_id, link) for media_id, link in batch.new_pages.items()]
    await queue.enqueue_new(tx, jobs, now=batch.now)
    await give_fresh_attempts(tx, batch)


def snapshot(link: PreparedLink, now: datetime) -> Snapshot:
    assert link.body is not None
    headers = {"content-type": "text/html; charset=utf-8"}
    if link.copy is None:
        return Snapshot(str(link.url), headers, link.body, now)
    kept_at = link.copy.page.get("kept_at")
    return Snapshot(
        str(link.url), headers | {COPY_HEADER: "1"}, link.body, kept_at if isinstance(kept_at, datetime) else now
    )


def copy_row(batch: Batch, media_id: UUID, link: PreparedLink) -> dict[str, object]:
    """What the page said of itself; never its canonical URL, which is for what we fetched ourselves."""
    assert link.copy is not None
    newer = copy_media_id(batch.owner.id, link.copy.newer_key) if link.copy.newer_key else None
    said = {name: value for name, value in link.copy.page.items() if name != "kept_at"}
    key = link.pictures.screenshot_key if link.pictures else None
    return said | {
        "media_id": media_id,
        "thumbnail_key": key,
        "superseded_by": newer if newer in batch.known_copies else None,
    }


def image_rows(media_id: UUID, link: PreparedLink) -> list[dict[str, object]]:
    """Each with its id, origin, key and type."""
    names = ("id", "origin_url", "blob_key", "content_type")
    kept = link.pictures.images if link.pictures else ()
    return [{"media_id": media_id, **dict(zip(names, image, strict=True))} for image in kept]


def ingest_job(batch: Batch, media_id: UUID, link: PreparedLink) -> NewJob:
    """A page that came with the file is not fetched, and owes its host no politeness."""
    host = link.url.host if link.body is None else None
    run_at = max(batch.owner.crawl_at or batch.now, batch.now)
    kind, to, urgency = JobKind.INGEST, Queue.INGEST, Priority.IMPORT
    return NewJob(kind, media_id, to, host, urgency, run_at, batch.owner.user_id, request_id=None)


async def give_fresh_attempts(tx: AsyncConnection, batch: Batch) -> None:
    """A new item on a page that failed gives it one more chance."""
    statuses = await bulk.find_statuses(tx, batch.attached.keys())
    for media_id, status in statuses.items():
        if wants_fresh_attempt(status):
            await queue.enqueue(tx, ingest_job(batch, media_id, batch.attached[media_id]), now=batch.now)
