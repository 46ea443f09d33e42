"""Queries about media, aliases, snapshots and the ids that were merged away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Executable, RowMapping, bindparam, delete, exists, func, select, true, update

from kept.domain.document import DocumentFacts, DocumentType, OutlineEntry, PageSize
from kept.domain.lifecycle import FAILED, EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media, MediaKind
from kept.domain.placing import KnownPage
from kept.ids import new_media_id
from kept.storage.database.dialects import Columns, by_dialect, insert_for, upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import (
    documents,
    fragments,
    image_assets,
    items,
    media,
    merged_ids,
    page_snapshots,
    private_pages,
    url_aliases,
)
from kept.storage.visibility import visible_to

if TYPE_CHECKING:
    from kept.content.article.canonical import CanonicalText
    from kept.content.article.safe_html import SafeHtml
    from kept.content.page.description import PageMetadata


# On a snapshot that is a file of another Kept's, whose article is only to be made safe again.
COPY_HEADER: Final = "kept-copy"
# The statements of every save.
FIND_MEDIA: Final = select(media).where(media.c.id == bindparam("media_id"))
LOCK_MEDIA: Final = FIND_MEDIA.with_for_update()
# A foreign key's check takes this lock, too: others may do so at once, and a merge or a deletion waits for it.
HOLD_MEDIA: Final = (
    select(media.c.id).where(media.c.id == bindparam("media_id")).with_for_update(read=True, key_share=True)
)
BY_ALIAS: Final = select(url_aliases.c.media_id).where(url_aliases.c.url == bindparam("url"))
FIND_CANONICAL_OWNER: Final = select(
    select(media.c.id)
    .where(media.c.kind.in_(list(MediaKind)), media.c.canonical_url == bindparam("canonical_url"))
    .limit(1)
    .scalar_subquery(),
    exists().where(media.c.superseded_by == bindparam("media_id")),
)
FIND_PAGE: Final = select(
    func.coalesce(
        select(private_pages.c.media_id)
        .where(private_pages.c.library_id == bindparam("library_id"), private_pages.c.url == bindparam("url"))
        .scalar_subquery(),
        BY_ALIAS.scalar_subquery(),
    )
)
KNOWN_COLUMNS: Final = (media.c.id, media.c.processing_status, media.c.accepts_documents, media.c.failure_code)
FIND_KNOWN_PAGE: Final = select(*KNOWN_COLUMNS).where(media.c.id == FIND_PAGE.scalar_subquery())
ACCEPT_DOCUMENTS: Final = (
    update(media)
    .where(media.c.id == bindparam("media_id"), ~media.c.accepts_documents)
    .values(accepts_documents=true())
)
INSERT_MEDIA: Final = media.insert()
INSERT_ALIAS: Final = url_aliases.insert()


def keep_snapshot(dialect_name: str) -> Executable:
    insert = insert_for(dialect_name, page_snapshots)
    newer = {column.name: insert.excluded[column.name] for column in page_snapshots.c if not column.primary_key}
    put: Executable = insert.on_conflict_do_update(index_elements=["media_id"], set_=newer)
    return put


PUT_SNAPSHOT: Final = by_dialect(keep_snapshot)
INSERT_IMAGES: Final = by_dialect(lambda dialect: insert_for(dialect, image_assets).on_conflict_do_nothing())
FIND_SNAPSHOT: Final = select(page_snapshots).where(page_snapshots.c.media_id == bindparam("media_id"))
DELETE_SNAPSHOT: Final = delete(page_snapshots).where(page_snapshots.c.media_id == bindparam("media_id"))
FIND_IMAGE: Final = select(image_assets.c.id).where(image_assets.c.media_id == bindparam("media_id")).limit(1)
INSERT_FRAGMENT: Final = fragments.insert()
# What a page says of itself.
CARD_FIELDS: Final = (
    "title",
    "excerpt",
    "byline",
    "site_name",
    "lang",
    "published_at",
    "favicon_url",
)
GAPS: Final = (*CARD_FIELDS, "preview_image_url")
FILL_GAPS: Final = (
    update(media)
    .where(media.c.id == bindparam("media_id"))
    .values({name: func.coalesce(media.c[name], bindparam(f"new_{name}", type_=media.c[name].type)) for name in GAPS})
    .values(metadata=bindparam("metadata"), updated_at=bindparam("updated_at"))
)
IS_PRIVATE: Final = select(media.c.is_private).where(media.c.id == bindparam("media_id"))
MEDIA_COLUMNS: Final = tuple(media.columns)
EMPTY_MEDIA: Final = dict.fromkeys(media.c.keys())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The page as a save fetched it, on its way to the worker. The body is compressed."""

    final_url: str
    headers: Mapping[str, str]
    body: bytes
    fetched_at: datetime


def media_from(row: RowMapping) -> Media:
    return media_of_columns([row[column] for column in MEDIA_COLUMNS])


def media_of_columns(row: Columns) -> Media:
    """Make a media from a row of the table's columns, in their order."""
    values = dict(zip(EMPTY_MEDIA, row, strict=True))
    values["enrichment_status"] = EnrichmentStatus(values["enrichment_status"])
    values["processing_status"] = ProcessingStatus(values["processing_status"])
    return Media(**values)


def insert_media(
    tx: Connection, media_id: UUID, source_url: str, status: ProcessingStatus, now: datetime, **columns: object
) -> None:
    row = EMPTY_MEDIA | {
        "id": media_id,
        "kind": MediaKind.WEB_ARTICLE,
        "source_url": source_url,
        "metadata": {},
        "enrichment_status": EnrichmentStatus.PENDING,
        "processing_status": status,
        "processing_attempts": 0,
        "version": 1,
        "is_private": False,
        "accepts_documents": True,
        "created_at": now,
        "updated_at": now,
    }
    tx.execute(INSERT_MEDIA, row | columns)


def find_media(tx: Connection, media_id: UUID, *, lock: bool = False) -> Media | None:
    row = tx.execute(LOCK_MEDIA if lock else FIND_MEDIA, {"media_id": media_id}).first()
    return media_of_columns(row) if row else None


def hold(tx: Connection, media_id: UUID) -> bool:
    """Hold the media until the transaction ends, so that it is not removed; return False if it is gone."""
    return tx.dialect.name == "sqlite" or tx.execute(HOLD_MEDIA, {"media_id": media_id}).first() is not None


def hold_free(tx: Connection, media_ids: Sequence[UUID]) -> list[UUID]:
    """Hold those of the media, in order, that nobody is changing or merging now, until the transaction ends."""
    query = select(media.c.id).where(media.c.id.in_(media_ids)).order_by(media.c.id)
    held = tx.execute(query.with_for_update(read=True, key_share=True, skip_locked=True))
    return list(held.scalars())


def find_visible_media(tx: Connection, media_id: UUID, user_id: UUID) -> Media | None:
    """Find the media, or the one it was merged into, if the user may see it."""
    query = select(media).where(media.c.id == media_id, visible_to(user_id))
    row = tx.execute(query).mappings().one_or_none()
    if row is not None:
        return media_from(row)
    merged_into = find_merged(tx, media_id)
    return find_visible_media(tx, merged_into, user_id) if merged_into is not None else None


def update_media(tx: Connection, media_id: UUID, now: datetime, **columns: object) -> None:
    """Update columns outside the lifecycles; only `apply_move` writes theirs."""
    tx.execute(update(media).where(media.c.id == media_id).values(updated_at=now, **columns))


def accept_documents(tx: Connection, media_ids: Iterable[UUID]) -> None:
    """Accept a document at their URLs from now on. They are updated in order, so that two callers do not deadlock."""
    for media_id in sorted(media_ids):
        tx.execute(ACCEPT_DOCUMENTS, {"media_id": media_id})


def delete_media(tx: Connection, media_id: UUID) -> None:
    tx.execute(delete(media).where(media.c.id == media_id))


def list_failed(tx: Connection, code: str | None) -> list[UUID]:
    """List media that failed and can be retried, oldest failure first."""
    query = select(media.c.id).where(media.c.processing_status.in_(FAILED)).order_by(media.c.failed_at)
    return list(tx.execute(query if code is None else query.where(media.c.failure_code == code)).scalars())


def held_card_only(library_ids: Sequence[UUID]) -> tuple[ColumnElement[bool], ...]:
    held = exists().where(items.c.media_id == media.c.id, items.c.library_id.in_(library_ids))
    return (media.c.processing_status == ProcessingStatus.CARD_ONLY, held)


def lock_card_only(tx: Connection, library_ids: Sequence[UUID], *, limit: int) -> list[Media]:
    """Lock pages of these libraries of which only the card was saved, except those that others are changing now."""
    query = select(media).where(*held_card_only(library_ids)).order_by(media.c.id).limit(limit)
    return [media_of_columns(row) for row in tx.execute(query.with_for_update(skip_locked=True, of=media))]


def count_card_only(tx: Connection, library_ids: Sequence[UUID]) -> int:
    return int(tx.execute(select(func.count()).select_from(media).where(*held_card_only(library_ids))).scalar_one())


def list_card_only(tx: Connection) -> list[UUID]:
    """List all media of which only the card was saved, oldest first."""
    card_only = media.c.processing_status == ProcessingStatus.CARD_ONLY
    return list(tx.execute(select(media.c.id).where(card_only).order_by(media.c.created_at, media.c.id)).scalars())


def is_private(tx: Connection, media_id: UUID) -> bool:
    return bool(tx.execute(IS_PRIVATE, {"media_id": media_id}).scalar_one_or_none())


def find_canonical_owner(tx: Connection, media_id: UUID, canonical_url: str) -> tuple[UUID | None, bool]:
    """Find the media that has this canonical URL, and whether `media_id` is a new copy that is still being made."""
    row = tx.execute(FIND_CANONICAL_OWNER, {"media_id": media_id, "canonical_url": canonical_url}).one()
    return row[0], bool(row[1])


# --- aliases --------------------------------------------------------------------------------------------------


def find_page(tx: Connection, library_id: UUID, url: str) -> UUID | None:
    """Find a library's page under a URL: its own copy that came with a file, else the page everybody shares."""
    media_id: UUID | None = tx.scalar(FIND_PAGE, {"library_id": library_id, "url": url})
    return media_id


def find_known_page(tx: Connection, library_id: UUID, url: str) -> KnownPage | None:
    """Find the same page as `find_page`, with what decides where a link goes."""
    row = tx.execute(FIND_KNOWN_PAGE, {"library_id": library_id, "url": url}).first()
    return known_page_of_columns(row) if row else None


def known_page_of_columns(row: Columns) -> KnownPage:
    media_id, status, accepts_documents, failure_code = row
    return KnownPage(media_id, ProcessingStatus(status), accepts_documents, failure_code)


def list_pages_at(tx: Connection, url: str) -> list[UUID]:
    """List all pages under a URL: the page everybody shares, and the libraries' own copies."""
    shared, own = [select(table.c.media_id).where(table.c.url == url) for table in (url_aliases, private_pages)]
    return list(tx.execute(shared.union(own)).scalars())


def insert_alias(tx: Connection, url: str, media_id: UUID) -> None:
    tx.execute(INSERT_ALIAS, {"url": url, "media_id": media_id})


def insert_alias_if_free(tx: Connection, url: str, media_id: UUID) -> None:
    insert = upsert(tx, url_aliases).values(url=url, media_id=media_id)
    tx.execute(insert.on_conflict_do_nothing())


def repoint_aliases(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    tx.execute(update(url_aliases).where(url_aliases.c.media_id == old_id).values(media_id=new_id))


def remember_merge(tx: Connection, old_id: UUID, new_id: UUID) -> None:
    tx.execute(update(merged_ids).where(merged_ids.c.new_id == old_id).values(new_id=new_id))
    tx.execute(merged_ids.insert().values(old_id=old_id, new_id=new_id))


def find_merged(tx: Connection, old_id: UUID) -> UUID | None:
    return tx.execute(select(merged_ids.c.new_id).where(merged_ids.c.old_id == old_id)).scalar_one_or_none()


# --- snapshots and images ------------------------------------------------------------------------------------


def put_snapshot(tx: Connection, media_id: UUID, snapshot: Snapshot) -> None:
    row = {
        "media_id": media_id,
        "final_url": snapshot.final_url,
        "headers": dict(snapshot.headers),
        "body": snapshot.body,
        "fetched_at": snapshot.fetched_at,
    }
    tx.execute(PUT_SNAPSHOT[tx.dialect.name], row)


def find_snapshot(tx: Connection, media_id: UUID) -> Snapshot | None:
    row = tx.execute(FIND_SNAPSHOT, {"media_id": media_id}).mappings().one_or_none()
    return Snapshot(row["final_url"], row["headers"], row["body"], row["fetched_at"]) if row else None


def delete_snapshot(tx: Connection, media_id: UUID) -> None:
    tx.execute(DELETE_SNAPSHOT, {"media_id": media_id})


def delete_snapshots_before(tx: Connection, then: datetime) -> None:
    """Delete old snapshots, except of pages that came with a file and cannot be fetched again."""
    can_be_fetched = exists().where(media.c.id == page_snapshots.c.media_id, ~media.c.is_private)
    tx.execute(delete(page_snapshots).where(page_snapshots.c.fetched_at < then, can_be_fetched))


def insert_image_assets(tx: Connection, media_id: UUID, images: Iterable[tuple[UUID, str]], now: datetime) -> None:
    fresh = {"media_id": media_id, "blob_key": None, "content_type": None, "created_at": now}
    rows = [fresh | {"id": key, "origin_url": url} for key, url in images]
    if rows:
        tx.execute(INSERT_IMAGES[tx.dialect.name], rows)


def has_images(tx: Connection, media_id: UUID) -> bool:
    return tx.execute(FIND_IMAGE, {"media_id": media_id}).first() is not None


def insert_fragment(
    tx: Connection, media_id: UUID, html: SafeHtml, text: CanonicalText, version: int, now: datetime
) -> None:
    """Insert a fragment; the types ensure that its markup was made safe and its text is canonical."""
    row = {
        "id": new_media_id(),  # shown to everybody who reads it, so it must not tell the time either
        "media_id": media_id,
        "ordinal": 0,
        "html_sanitized": str(html),
        "canonical_text": str(text),
        "canonical_version": version,
        "created_at": now,
    }
    tx.execute(INSERT_FRAGMENT, row)


def fill_card_gaps(
    tx: Connection,
    media_id: UUID,
    page: PageMetadata,
    now: datetime,
    *,
    title: str | None = None,
    byline: str | None = None,
) -> None:
    """Fill gaps of a card with what the page says; an article's own `title` and `byline` are a last resort."""
    gaps = {name: getattr(page, name) for name in GAPS}
    gaps |= {"title": page.title or title, "byline": page.byline or byline}
    told = {"metadata": page.as_json(), "updated_at": now}
    tx.execute(FILL_GAPS, {"media_id": media_id} | told | {f"new_{name}": value for name, value in gaps.items()})


def put_document(tx: Connection, media_id: UUID, facts: DocumentFacts) -> None:
    """Store what is known of a document beside its article, in place of what was stored before."""
    values: dict[str, object] = {
        "type": facts.type,
        "page_count": facts.page_count,
        "page_sizes": [[size.width, size.height] for size in facts.page_sizes],
        "page_starts": list(facts.page_starts),
        "outline": [asdict(entry) for entry in facts.outline],
        "running_text": facts.running_text,
        "has_text": facts.has_text,
        "is_cut": facts.is_cut,
    }
    insert = upsert(tx, documents).values(media_id=media_id, **values)
    tx.execute(insert.on_conflict_do_update(index_elements=["media_id"], set_=values))


def find_document(tx: Connection, media_id: UUID) -> DocumentFacts | None:
    row = tx.execute(select(documents).where(documents.c.media_id == media_id)).mappings().one_or_none()
    return facts_from(row) if row else None


def list_documents(tx: Connection, media_ids: Sequence[UUID]) -> dict[UUID, DocumentFacts]:
    query = select(documents).where(documents.c.media_id.in_(media_ids))
    return {row["media_id"]: facts_from(row) for row in tx.execute(query).mappings()}


def facts_from(row: RowMapping) -> DocumentFacts:
    return DocumentFacts(
        type=DocumentType(row["type"]),
        page_count=row["page_count"],
        page_sizes=tuple(PageSize(*size) for size in row["page_sizes"]),
        page_starts=tuple(row["page_starts"]),
        outline=tuple(OutlineEntry(**entry) for entry in row["outline"]),
        running_text=row["running_text"],
        has_text=row["has_text"],
        is_cut=row["is_cut"],
    )
