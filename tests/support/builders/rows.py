"""Plain rows for storage tests, with every column that must be there."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from kept.domain.highlight import Colour, Highlight, Quote, Span
from kept.domain.lifecycle import ProcessingStatus, begin
from kept.ids import new_id
from kept.storage import highlights, libraries, lifecycles, tables
from kept.storage.database.engine import Connection, Database
from support.fixtures.transactions import writing

AT = datetime(2026, 1, 1, 12, 30, 15, 250000, tzinfo=UTC)


def insert_user(tx: Connection, name: str = "ann") -> tuple[UUID, UUID]:
    """A user and their default library."""
    user_id, library_id = new_id(), new_id()
    tx.execute(tables.users.insert().values(id=user_id, name=name, password_hash="x", is_admin=False, created_at=AT))
    insert_library(tx, user_id, library_id, is_default=True)
    return user_id, library_id


def insert_library(tx: Connection, user_id: UUID, library_id: UUID, *, is_default: bool = False) -> None:
    tx.execute(
        tables.libraries.insert().values(
            id=library_id, name="L", owner_id=user_id, is_default=is_default, created_at=AT, updated_at=AT
        )
    )
    tx.execute(
        tables.library_members.insert().values(library_id=library_id, user_id=user_id, role="admin", created_at=AT)
    )


def insert_media(tx: Connection, **columns: Any) -> UUID:
    media_id: UUID = columns.pop("id", None) or new_id()
    values = {
        "id": media_id,
        "kind": "web_article",
        "source_url": "https://example.org/a",
        "metadata": {},
        "enrichment_status": "pending",
        "processing_status": "pending",
        "processing_attempts": 0,
        "version": 1,
        "created_at": AT,
        "updated_at": AT,
    }
    tx.execute(tables.media.insert().values(values | columns))
    lifecycles.insert_transition(tx, begin(media_id, ProcessingStatus.PENDING, at=AT))
    return media_id


def insert_item(tx: Connection, library_id: UUID, media_id: UUID) -> UUID:
    item_id = new_id()
    tx.execute(
        tables.items.insert().values(
            id=item_id,
            library_id=library_id,
            media_id=media_id,
            url="https://example.org/a",
            created_at=AT,
            updated_at=AT,
        )
    )
    return item_id


def insert_fragment(tx: Connection, media_id: UUID, ordinal: int = 0) -> UUID:
    fragment_id = new_id()
    tx.execute(
        tables.fragments.insert().values(
            id=fragment_id,
            media_id=media_id,
            ordinal=ordinal,
            html_sanitized="<p>x</p>",
            canonical_text="x",
            canonical_version=1,
            created_at=AT,
        )
    )
    return fragment_id


def insert_highlight(tx: Connection, user_id: UUID, media_id: UUID) -> Highlight:
    made = Highlight(new_id(), user_id, media_id, Span(0, 1), Quote("x"), Colour.BLUE, "Noted", 1, AT, AT)
    highlights.insert_highlights(tx, [made])
    return made


def save_many(database: Database, user_id: UUID, count: int) -> None:
    """Into the user's own library, without any page."""
    with writing(database) as tx:
        library_id = libraries.get_default_library_id(tx, user_id)
        for number in range(count):
            insert_item(tx, library_id, insert_media(tx, title=f"Page {number}"))
