"""Queries about documents: what is known of each beside its article. The file is a capture (`captures`)."""

from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from sqlalchemy import RowMapping, select

from kept.domain.document import DocumentFacts, DocumentType, OutlineEntry, PageSize
from kept.storage.database.dialects import upsert
from kept.storage.database.engine import Connection
from kept.storage.tables import documents


def put_document(tx: Connection, media_id: UUID, facts: DocumentFacts) -> None:
    """In the place of what was known of it before."""
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
    """For a media the caller has checked."""
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
