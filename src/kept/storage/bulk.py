"""Look-ups and inserts for many links at once: an import's statements, built once and run for a hundred rows.

Imported items are inserted by `insert_items` alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, literal, or_, select, tuple_, update

from kept.clock import utc_now
from kept.domain.item import Item, ReadingState
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus, begin
from kept.domain.media import MediaKind
from kept.domain.placing import KnownPage
from kept.ids import new_id
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.items import ITEM_COLUMNS, ITEM_WIDTH, READING_COLUMNS, reading_of_columns
from kept.storage.media import KNOWN_COLUMNS, Snapshot, known_page_of_columns
from kept.storage.tables import (
    image_assets,
    item_tags,
    items,
    library_members,
    media,
    page_snapshots,
    private_pages,
    reading_states,
    tags,
    transitions,
    url_aliases,
)

INSERT_MEDIA: Final = media.insert()
INSERT_ALIAS: Final = url_aliases.insert()
INSERT_PRIVATE_PAGE: Final = private_pages.insert()
INSERT_TRANSITION: Final = transitions.insert()
INSERT_ITEM: Final = items.insert()
INSERT_SNAPSHOT: Final = page_snapshots.insert()

HeldBy = dict[tuple[UUID, UUID], Item]
"""Items by library and media."""


def find_aliases(tx: Connection, urls: Collection[str]) -> dict[str, UUID]:
    if not urls:
        return {}
    query = select(url_aliases.c.url, url_aliases.c.media_id).where(url_aliases.c.url.in_(urls))
    return {row.url: row.media_id for row in tx.execute(query)}


def find_private_pages(
    tx: Connection, library_ids: Collection[UUID], urls: Collection[str]
) -> dict[tuple[UUID, str], UUID]:
    if not urls:
        return {}
    query = select(private_pages).where(private_pages.c.library_id.in_(library_ids), private_pages.c.url.in_(urls))
    return {(row.library_id, row.url): row.media_id for row in tx.execute(query)}


def find_items(tx: Connection, library_ids: Collection[UUID], media_ids: Collection[UUID]) -> HeldBy:
    """Return the items the libraries hold of these pages; an older copy stands for a newer one they do not hold."""
    if not media_ids:
        return {}
    query = (
        select(items, media.c.superseded_by)
        .join(media, media.c.id == items.c.media_id)
        .where(items.c.library_id.in_(library_ids))
        .where(or_(items.c.media_id.in_(media_ids), media.c.superseded_by.in_(media_ids)))
        .order_by(media.c.created_at)
    )
    found = [(Item(*row[:ITEM_WIDTH]), row[ITEM_WIDTH]) for row in tx.execute(query)]
    older = {(item.library_id, superseded_by): item for item, superseded_by in found}
    return older | {(item.library_id, item.media_id): item for item, _ in found}


def find_known_pages(tx: Connection, media_ids: Collection[UUID]) -> dict[UUID, KnownPage]:
    """Return those of the pages that exist, by id, without their items."""
    if not media_ids:
        return {}
    found = map(known_page_of_columns, tx.execute(select(*KNOWN_COLUMNS).where(media.c.id.in_(media_ids))))
    return {known.media_id: known for known in found}


def find_reading_states(tx: Connection, user_id: UUID, media_ids: Collection[UUID]) -> dict[UUID, ReadingState]:
    if not media_ids:
        return {}
    own = (reading_states.c.user_id == user_id, reading_states.c.media_id.in_(media_ids))
    query = select(reading_states.c.media_id, *READING_COLUMNS).where(*own)
    return {media_id: reading_of_columns(row) for media_id, *row in tx.execute(query)}


# --- inserts ------------------------------------------------------------------------------------------------------


def insert_media(tx: Connection, pages: Iterable[tuple[UUID, str]], now: datetime, *, is_private: bool) -> None:
    """Insert new pages that nobody fetched yet, each with the first line of its history."""
    pages = list(pages)
    if not pages:
        return
    same = {
        "kind": MediaKind.WEB_ARTICLE,
        "metadata": {},
        "enrichment_status": EnrichmentStatus.PENDING,
        "processing_status": ProcessingStatus.PENDING,
        "processing_attempts": 0,
        "version": 1,
        "is_private": is_private,
        "accepts_documents": True,
        "created_at": now,
        "updated_at": now,
    }
    tx.execute(INSERT_MEDIA, [same | {"id": media_id, "source_url": url} for media_id, url in pages])
    tx.execute(INSERT_TRANSITION, [first_transition(media_id, now) for media_id, _ in pages])


def first_transition(media_id: UUID, now: datetime) -> dict[str, object]:
    first = begin(media_id, ProcessingStatus.PENDING, at=now)
    return {
        "id": new_id(),
        "media_id": media_id,
        "sort_key": first.sort_key,
        "lifecycle": first.lifecycle,
        "from_state": first.from_state,
        "to_state": first.to_state,
        "metadata": first.record.to_json(),
        "created_at": now,
    }


def fill_copies(tx: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    """Fill pages that were just inserted with what a file says about them; all rows have the same columns."""
    if rows:
        named: dict[str, object] = {name: bindparam(name) for name in rows[0] if name != "media_id"}
        tx.execute(update(media).where(media.c.id == bindparam("media_id")).values(named), rows)


def insert_image_assets(tx: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        made = [{**row, "created_at": utc_now()} for row in rows]
        tx.execute(upsert(tx, image_assets).on_conflict_do_nothing(), made)


def insert_aliases(tx: Connection, pages: Iterable[tuple[UUID, str]]) -> None:
    rows = [{"url": url, "media_id": media_id} for media_id, url in pages]
    if rows:
        tx.execute(INSERT_ALIAS, rows)


def insert_private_pages(tx: Connection, pages: Mapping[tuple[UUID, str], UUID]) -> None:
    rows = [{"library_id": library, "url": url, "media_id": media_id} for (library, url), media_id in pages.items()]
    if rows:
        tx.execute(INSERT_PRIVATE_PAGE, rows)


def insert_snapshots(tx: Connection, snapshots: Mapping[UUID, Snapshot]) -> None:
    rows = [
        {
            "media_id": media_id,
            "final_url": snapshot.final_url,
            "headers": dict(snapshot.headers),
            "body": snapshot.body,
            "fetched_at": snapshot.fetched_at,
        }
        for media_id, snapshot in snapshots.items()
    ]
    if rows:
        tx.execute(INSERT_SNAPSHOT, rows)


def insert_items(tx: Connection, new: Sequence[Item]) -> None:
    if new:
        tx.execute(INSERT_ITEM, [{name: getattr(item, name) for name in ITEM_COLUMNS} for item in new])


def replace_pages(tx: Connection, replaced: Mapping[UUID, tuple[UUID, UUID]], now: datetime) -> None:
    """Let items hold another page; the reading states of the library's members are copied to it.

    Somebody may be a member of two libraries that get the same page.
    """
    for item_id, (old_id, fresh_id) in replaced.items():
        library = select(items.c.library_id).where(items.c.id == item_id).scalar_subquery()
        members = select(library_members.c.user_id).where(library_members.c.library_id == library)
        kept = select(
            reading_states.c.user_id, literal(fresh_id, media.c.id.type), *READING_COLUMNS, reading_states.c.updated_at
        )
        marked = kept.where(reading_states.c.media_id == old_id, reading_states.c.user_id.in_(members))
        names = ["user_id", "media_id", *(column.name for column in READING_COLUMNS), "updated_at"]
        tx.execute(upsert(tx, reading_states).from_select(names, marked).on_conflict_do_nothing())
        tx.execute(update(items).where(items.c.id == item_id).values(media_id=fresh_id, updated_at=now))


def add_tags(tx: Connection, tagged: Sequence[tuple[UUID, UUID, str]]) -> dict[tuple[UUID, str], UUID]:
    """Tag items, each given as library, item and tag name; return the tags that were made, by library and name."""
    names = sorted({(library_id, name) for library_id, _, name in tagged})
    if not names:
        return {}
    new = [{"id": new_id(), "library_id": library_id, "name": name} for library_id, name in names]
    wanted = select(tags.c.id, tags.c.library_id, tags.c.name).where(tuple_(tags.c.library_id, tags.c.name).in_(names))
    found = {(row.library_id, row.name): row.id for row in tx.execute(wanted)}
    if len(found) < len(names):
        missing = [row for row in new if (row["library_id"], row["name"]) not in found]
        tx.execute(upsert(tx, tags).on_conflict_do_nothing(), missing)
        found = {(row.library_id, row.name): row.id for row in tx.execute(wanted)}
    links = [{"item_id": item_id, "tag_id": found[library_id, name]} for library_id, item_id, name in tagged]
    tx.execute(upsert(tx, item_tags).on_conflict_do_nothing(), links)
    ours = {row["id"] for row in new}
    return {key: tag_id for key, tag_id in found.items() if tag_id in ours}


def put_reading_states(tx: Connection, user_id: UUID, states: Mapping[UUID, ReadingState], now: datetime) -> None:
    rows = [
        {
            "user_id": user_id,
            "media_id": media_id,
            "is_favourite": state.is_favourite,
            "is_archived": state.is_archived,
            "read_at": state.read_at,
            "progress": state.progress,
            "updated_at": now,
        }
        for media_id, state in states.items()
    ]
    if not rows:
        return
    insert = upsert(tx, reading_states)
    changed = {name: insert.excluded[name] for name in ("is_favourite", "is_archived", "read_at", "progress")}
    changed["updated_at"] = insert.excluded.updated_at
    tx.execute(insert.on_conflict_do_update(index_elements=["user_id", "media_id"], set_=changed), rows)
