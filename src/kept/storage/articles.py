"""Queries about articles: the fragment, its text, and since when a viewer may know of a media."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, bindparam, case, exists, func, select

from kept.domain.history import known_since
from kept.storage.database.dialects import Parameter, Query, by_dialect
from kept.storage.database.engine import Connection
from kept.storage.tables import fragments, items, library_members

# Characters: half an hour's reading. Looking through it takes a millisecond, and a page of results has thirty.
LONGEST_LOOK: Final = 50_000
FIND_CANONICAL_VERSION: Final = select(fragments.c.canonical_version).where(
    fragments.c.media_id == bindparam("media_id")
)


def select_texts(dialect: str) -> Query:
    whole = fragments.c.canonical_text
    beginning: ColumnElement[str] = func.substr(whole, 1, LONGEST_LOOK)
    if dialect == "postgresql":  # it knows the bytes without unpacking them, and counts characters one by one
        beginning = case((func.octet_length(whole) <= LONGEST_LOOK, whole), else_=beginning)
    these: Parameter = bindparam("media_ids", expanding=True)
    return select(fragments.c.media_id, beginning.label("text")).where(fragments.c.media_id.in_(these))


LIST_TEXTS: Final = by_dialect(select_texts)


@dataclass(frozen=True, slots=True)
class Fragment:
    id: UUID
    ordinal: int
    html_sanitized: str
    canonical_text: str
    canonical_version: int


def find_fragment(tx: Connection, media_id: UUID) -> Fragment | None:
    query = select(
        fragments.c.id,
        fragments.c.ordinal,
        fragments.c.html_sanitized,
        fragments.c.canonical_text,
        fragments.c.canonical_version,
    ).where(fragments.c.media_id == media_id)
    row = tx.execute(query).one_or_none()
    return Fragment(*row) if row else None


def find_fragment_id(tx: Connection, media_id: UUID) -> UUID | None:
    return tx.scalar(select(fragments.c.id).where(fragments.c.media_id == media_id))


def has_fragment(tx: Connection, media_id: UUID) -> bool:
    return bool(tx.execute(select(exists().where(fragments.c.media_id == media_id))).scalar_one())


def find_canonical_version(tx: Connection, media_id: UUID) -> int | None:
    """Return the version of the article's canonical text; None where there is no article."""
    version: int | None = tx.scalar(FIND_CANONICAL_VERSION, {"media_id": media_id})
    return version


def find_known_since(tx: Connection, media_id: UUID, user_id: UUID) -> datetime | None:
    """Return when the media first came into a library of this user; what happened before concerns only others."""
    query = (
        select(items.c.created_at, items.c.id)
        .join(library_members, library_members.c.library_id == items.c.library_id)
        .where(items.c.media_id == media_id, library_members.c.user_id == user_id)
    )
    return min((known_since(*row) for row in tx.execute(query)), default=None)


def is_held_elsewhere(tx: Connection, media_id: UUID, user_id: UUID) -> bool:
    """Return whether a library that this user is no member of holds the media."""
    own = select(library_members.c.library_id).where(library_members.c.user_id == user_id)
    query = select(exists().where(items.c.media_id == media_id, items.c.library_id.not_in(own)))
    return bool(tx.execute(query).scalar_one())


def find_text(tx: Connection, media_id: UUID, longest: int) -> str | None:
    """Return the first `longest` characters of an article's text."""
    text = func.substr(fragments.c.canonical_text, 1, longest)
    return tx.scalar(select(text).where(fragments.c.media_id == media_id))


def list_texts(tx: Connection, media_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the beginning of each article's text, as far as a search looks for a passage to show."""
    return {row.media_id: row.text for row in tx.execute(LIST_TEXTS[tx.dialect.name], {"media_ids": media_ids})}
