"""Decide what a batch of imported links comes to, from what was looked up; nothing is read or written here.

The rules are those of a save that does not wait: a known URL needs no fetch, what is there is added to and never
overwritten, a library also means the personal one. What came with a page makes a media of its own that nobody else
is led to.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink, PreparedRow
from kept.domain.imported import copy_media_id, join_reading
from kept.domain.importing import ImportedRow, RowOutcome
from kept.domain.item import NO_FIELDS, Item, ReadingState, UserFields, fill_gaps
from kept.ids import new_id, new_media_id
from kept.services.saving.import_batch import ImportBatch
from kept.urls.messages import NOTICES

UNREAD: Final = ReadingState()
HAS_ARTICLE_ALREADY: Final = "The text that came with it was not needed: the page was here."
STANDS_FOR_IT: Final = "The page could not be kept before; the text that came with it stands for it now."


def plan_import_batch(batch: ImportBatch, rows: Sequence[PreparedRow]) -> list[ImportedRow]:
    """What became of each row; what is to be written is in the batch."""
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
