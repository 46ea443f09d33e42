"""Place a batch of imported links: what is known of each is looked up, what to write is decided and written
(`write_links`), with the rows that tell of it, in one short transaction.

The rules are those of a save that does not wait (`save_link`): a known address needs no fetch, what is there is added
to and never overwritten, a library also means the personal one. What came with a page makes a media of its own that
nobody else is led to.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.imported import join_reading
from kept.domain.importing import Import, ImportedRow, RowOutcome
from kept.domain.item import NO_WORDS, Item, ReadingState, Words, join_notes
from kept.domain.library import Library, Role
from kept.domain.lifecycle import RETRYABLE
from kept.ids import new_id, new_media_id
from kept.services.importing.import_batch import Batch, copy_media_id
from kept.services.importing.prepare_rows import PreparedLink, PreparedRow
from kept.services.importing.write_import_batch import write_batch
from kept.storage import bulk, imports, libraries
from kept.storage.database.engine import AsyncConnection

UNREAD = ReadingState()
HAS_ARTICLE_ALREADY: Final = "The text that came with it was not needed: the page was here."
STANDS_FOR_IT: Final = "The page could not be kept before; the text that came with it stands for it now."


async def place_links(tx: AsyncConnection, owner: Import, rows: Sequence[PreparedRow], now: datetime) -> None:
    links = [row for row in rows if isinstance(row, PreparedLink)]
    batch = await look_up(tx, owner, links, now)
    outcomes = [place(batch, row) if isinstance(row, PreparedLink) else row for row in rows]
    await write_batch(tx, batch)
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
    held = {item.media_id for item in batch.held.values()}
    batch.states = await bulk.find_reading_states(tx, owner.user_id, known | held)
    if any(link.body for link in links):
        statuses = await bulk.find_statuses(tx, held)
        batch.failed = {media_id for media_id, status in statuses.items() if status in RETRYABLE}
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
        return meet(batch, item, link)
    media_id = choose_page(batch, library_id, link)
    item = add_item(batch, library_id, media_id, link, link.words)
    if library_id != batch.default_id and not link.is_exact and find_held(batch, batch.default_id, url) is None:
        add_item(batch, batch.default_id, media_id, link, NO_WORDS)
        if media_id in batch.new_private.values() and (batch.default_id, url) not in batch.private:
            batch.new_private[batch.default_id, url] = media_id
    mark_read(batch, media_id, link.reading)
    return ImportedRow(link.ordinal, url, RowOutcome.IMPORTED, item_id=item.id)


def meet(batch: Batch, item: Item, link: PreparedLink) -> ImportedRow:
    """A page the library holds: its item is added to, and if we have no article of it, the file's is taken."""
    add_words(batch, item, link.words)
    reason = None
    if link.body is not None:
        reason = STANDS_FOR_IT if stand_in(batch, item, link) else HAS_ARTICLE_ALREADY
    _, media_id = batch.replaced.get(item.id, (None, item.media_id))
    mark_read(batch, media_id, link.reading)
    return ImportedRow(link.ordinal, str(link.url), RowOutcome.ALREADY_THERE, reason, item.id)


def stand_in(batch: Batch, item: Item, link: PreparedLink) -> bool:
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


def find_held(batch: Batch, library_id: UUID, url: str) -> Item | None:
    pages = (
        batch.new_private.get((library_id, url)),
        batch.private.get((library_id, url)),
        batch.aliases.get(url),
    )
    found = (batch.held.get((library_id, media_id)) for media_id in pages if media_id is not None)
    return next((item for item in found if item is not None), None)


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
