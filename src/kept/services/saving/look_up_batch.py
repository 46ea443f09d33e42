"""Look up what is known of the pages of an import's batch, in a few statements."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from kept.content.import_formats.prepare_rows import PreparedLink
from kept.domain.imported import copy_media_id
from kept.domain.importing import Import
from kept.domain.library import Library, Role
from kept.domain.lifecycle import RETRYABLE
from kept.ids import new_id
from kept.services.saving.import_batch import ImportBatch
from kept.storage import bulk, libraries
from kept.storage.database.engine import Connection


def look_up_batch(tx: Connection, owner: Import, links: Sequence[PreparedLink], now: datetime) -> ImportBatch:
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
