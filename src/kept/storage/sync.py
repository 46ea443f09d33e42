"""The default library as apps sync it: when each item changed, and the numbers by which apps know things."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Select, delete, func, select, text, update

from kept.domain.synced import MAX_NUMBER, MAX_RESTORED_NUMBER, NumberedTag, NumberKind, SyncState
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.items import select_tagged
from kept.storage.tables import (
    fragments,
    image_assets,
    item_tags,
    items,
    media,
    numbers,
    synced_items,
    tags,
    url_hashes,
)

ADVANCE_SQLITE: Final = text("UPDATE sqlite_sequence SET seq = max(seq, :last) WHERE name = 'numbers'")
BEGIN_SQLITE: Final = text(
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'numbers', 0 "
    "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'numbers')"
)
ADVANCE_POSTGRESQL: Final = text("SELECT setval('numbers_no_seq', greatest(:last, nextval('numbers_no_seq')))")


# --- URLs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ItemUrls:
    item_id: UUID
    library_id: UUID
    url: str
    canonical_url: str | None


def find_states(tx: Connection, item_ids: Collection[UUID]) -> dict[UUID, SyncState]:
    """Return what apps are told of items' states. Lists are in `synced_lists.py`."""
    columns = (synced_items.c.changed_at, synced_items.c.archived_at, synced_items.c.favourite_at)
    query = select(synced_items.c.item_id, *columns).where(synced_items.c.item_id.in_(item_ids))
    return {item_id: SyncState(*state) for item_id, *state in tx.execute(query)}


def list_articles(tx: Connection, media_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the markup of those media that have an article."""
    query = select(fragments.c.media_id, fragments.c.html_sanitized).where(fragments.c.media_id.in_(media_ids))
    return {row.media_id: row.html_sanitized for row in tx.execute(query)}


def list_image_origins(tx: Connection, media_ids: Collection[UUID]) -> dict[UUID, dict[UUID, str]]:
    """Return the URLs that images came from, by media and image."""
    query = select(image_assets.c.media_id, image_assets.c.id, image_assets.c.origin_url)
    found: dict[UUID, dict[UUID, str]] = {}
    for media_id, image_id, origin_url in tx.execute(query.where(image_assets.c.media_id.in_(media_ids))):
        found.setdefault(media_id, {})[image_id] = origin_url
    return found


# --- tags -----------------------------------------------------------------------------------------------------


def list_tag_numbers(tx: Connection, item_ids: Collection[UUID]) -> dict[UUID, tuple[NumberedTag, ...]]:
    """Return the tags of items with their numbers, by item, in the order of their names."""
    query = (
        select(item_tags.c.item_id, numbers.c.no, tags.c.name)
        .join(tags, tags.c.id == item_tags.c.tag_id)
        .join(numbers, (numbers.c.subject_id == tags.c.id) & (numbers.c.kind == NumberKind.TAG))
        .where(item_tags.c.item_id.in_(item_ids))
        .order_by(tags.c.name)
    )
    found: dict[UUID, tuple[NumberedTag, ...]] = {}
    for item_id, number, name in tx.execute(query):
        found[item_id] = (*found.get(item_id, ()), NumberedTag(number, name))
    return found


def list_tags(tx: Connection, library_id: UUID, *, with_unused: bool = False) -> list[NumberedTag]:
    """List the tags of one library, each with its number and how many items have it."""
    used = func.count(item_tags.c.item_id)
    query = (
        select(numbers.c.no, tags.c.name, used)
        .select_from(tags)
        .join(numbers, (numbers.c.subject_id == tags.c.id) & (numbers.c.kind == NumberKind.TAG))
        .join(item_tags, item_tags.c.tag_id == tags.c.id, isouter=with_unused)
        .where(tags.c.library_id == library_id)
        .group_by(numbers.c.no, tags.c.name)
        .order_by(tags.c.name)
    )
    return [NumberedTag(*row) for row in tx.execute(query)]


def find_tag(tx: Connection, library_id: UUID, tag_id: UUID) -> str | None:
    """Find the name of a tag, if it is one of the library's."""
    return tx.scalar(select(tags.c.name).where(tags.c.id == tag_id, tags.c.library_id == library_id))


def ensure_tag(tx: Connection, library_id: UUID, tag_id: UUID, name: str) -> UUID:
    """Return the id of the library's tag of that name, made if it is not there."""
    tx.execute(upsert(tx, tags).values(id=tag_id, library_id=library_id, name=name).on_conflict_do_nothing())
    found: UUID = tx.execute(select(tags.c.id).where(tags.c.library_id == library_id, tags.c.name == name)).scalar_one()
    return found


def list_tagged(tx: Connection, library_id: UUID, name: str, limit: int) -> list[UUID]:
    """List some of the items that have a tag."""
    return list(tx.execute(select_tagged([library_id], name).limit(limit)).scalars())


def list_unhashed(tx: Connection, library_id: UUID | None, limit: int) -> list[ItemUrls]:
    """List items whose URLs are not hashed, with the saved URL and the page's own, of one library or all."""
    query = (
        select(items.c.id, items.c.library_id, items.c.url, media.c.canonical_url)
        .select_from(synced_items)
        .join(items, items.c.id == synced_items.c.item_id)
        .join(media, media.c.id == items.c.media_id)
        .where(~synced_items.c.is_hashed)
        .limit(limit)
    )
    if library_id is not None:
        query = query.where(synced_items.c.library_id == library_id)
    return [ItemUrls(*row) for row in tx.execute(query)]


def replace_hashes(tx: Connection, hashed: Collection[tuple[ItemUrls, Collection[str]]]) -> None:
    item_ids = [urls.item_id for urls, _ in hashed]
    tx.execute(delete(url_hashes).where(url_hashes.c.item_id.in_(item_ids)))
    rows = [
        {"item_id": urls.item_id, "library_id": urls.library_id, "hash": one}
        for urls, hashes in hashed
        for one in sorted(hashes)
    ]
    tx.execute(url_hashes.insert(), rows)
    tx.execute(update(synced_items).where(synced_items.c.item_id.in_(item_ids)).values(is_hashed=True))


def select_hashed(library_id: UUID, hashes: Collection[str]) -> Select[tuple[str, UUID]]:
    own = (url_hashes.c.library_id == library_id, url_hashes.c.hash.in_(hashes))
    return select(url_hashes.c.hash, url_hashes.c.item_id).where(*own)


def find_by_hash(tx: Connection, library_id: UUID, hashes: Collection[str]) -> dict[str, UUID]:
    """Find items by the hashes of their URLs, in two steps: SQLite would join by reading the whole library."""
    rows = tx.execute(select_hashed(library_id, hashes)).all()
    there = synced_items.c.item_id.in_({row.item_id for row in rows})
    query = select(synced_items.c.item_id, synced_items.c.library_id).where(there, synced_items.c.is_listed)
    listed = {row.item_id for row in tx.execute(query) if row.library_id == library_id} if rows else set()
    return {row.hash: row.item_id for row in rows if row.item_id in listed}


def find_subject(tx: Connection, kind: NumberKind, number: int) -> UUID | None:
    """Find the item, tag or highlight that an app's number names. Triggers assign the numbers."""
    if not 0 < number <= MAX_NUMBER:
        return None
    return tx.scalar(select(numbers.c.subject_id).where(numbers.c.no == number, numbers.c.kind == kind))


def list_numbers(tx: Connection, kind: NumberKind, subject_ids: Collection[UUID]) -> dict[UUID, int]:
    if not subject_ids:
        return {}
    query = select(numbers.c.subject_id, numbers.c.no)
    rows = tx.execute(query.where(numbers.c.kind == kind, numbers.c.subject_id.in_(subject_ids)))
    return {row.subject_id: row.no for row in rows}


def find_last(tx: Connection) -> int:
    """Return the highest number that was assigned."""
    return tx.scalar(select(func.max(numbers.c.no))) or 0


def advance(tx: Connection, last: int) -> None:
    """Let the next numbers be higher than `last`; a number beyond what a file may ask for changes nothing."""
    if not 0 < last <= MAX_RESTORED_NUMBER or last <= find_last(tx):
        return
    if tx.dialect.name == "sqlite":
        tx.execute(BEGIN_SQLITE)
        tx.execute(ADVANCE_SQLITE, {"last": last})
    else:
        tx.execute(ADVANCE_POSTGRESQL, {"last": last})


def restore(tx: Connection, kind: NumberKind, wanted: Mapping[UUID, int]) -> None:
    """Give subjects the numbers they had before they were exported, where nothing else has them."""
    good = {key: number for key, number in wanted.items() if 0 < number <= MAX_RESTORED_NUMBER}
    taken = set(tx.execute(select(numbers.c.no).where(numbers.c.no.in_(good.values()))).scalars())
    free = {number: key for key, number in good.items() if number not in taken}
    if not free:
        return
    tx.execute(delete(numbers).where(numbers.c.kind == kind, numbers.c.subject_id.in_(free.values())))
    rows = [{"no": number, "kind": kind, "subject_id": key} for number, key in free.items()]
    tx.execute(upsert(tx, numbers).on_conflict_do_nothing(), rows)
