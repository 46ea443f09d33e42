"""Pages that are a card only; item ids that were merged away; one spelling of escapes in URLs.

Revision ID: 0006
Revises: 0005
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant, Json

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

STATUSES = "'pending', 'extracting', 'ready_for_reading', 'failed', 'blocked', 'invalid_url', 'card_only'"
BATCH = 1_000
# One spelling of escapes (RFC 3986, 6.2.2), as it was when this was written.
ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
URLS = {"url_aliases": "url", "private_pages": "url", "media": "canonical_url"}
# Where two pages turn out to have one spelling, both stay, and it leads to the one that had it before.
SAME_KEY = {"private_pages": "AND other.library_id = private_pages.library_id"}
RESPELL = """
UPDATE {table} SET {column} = :new WHERE {column} = :old
AND NOT EXISTS (SELECT 1 FROM {table} AS other WHERE other.{column} = :new {same_key})
"""

media = sa.table(
    "media",
    sa.column("id", sa.Uuid()),
    sa.column("kind", sa.Text()),
    sa.column("canonical_url", sa.Text()),
    sa.column("processing_status", sa.Text()),
    sa.column("version", sa.Integer()),
)
jobs = sa.table("jobs", sa.column("kind", sa.Text()), sa.column("subject_id", sa.Uuid()))
transitions = sa.table(
    "transitions",
    sa.column("id", sa.Uuid()),
    sa.column("media_id", sa.Uuid()),
    sa.column("sort_key", sa.Integer()),
    sa.column("lifecycle", sa.Text()),
    sa.column("from_state", sa.Text()),
    sa.column("to_state", sa.Text()),
    sa.column("metadata", Json),
    sa.column("created_at", Instant()),
)


def upgrade() -> None:
    op.create_table(
        "merged_items",
        sa.Column("old_id", sa.Uuid(), nullable=False),
        sa.Column("new_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("old_id", name="pk_merged_items"),
    )
    op.create_index("ix_merged_items_new_id", "merged_items", ["new_id"])
    know_card_only()
    end_pages_that_nobody_will_fetch()
    spell_escapes_anew()


def know_card_only() -> None:
    name = op.f("ck_media_ck_media_known_processing_status")
    with op.batch_alter_table("media") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"processing_status IN ({STATUSES})")


def end_pages_that_nobody_will_fetch() -> None:
    """With KEPT_ARCHIVE=false pages stayed pending without a job."""
    connection, now = op.get_bind(), datetime.now(UTC)
    is_queued = sa.exists().where(jobs.c.subject_id == media.c.id, jobs.c.kind == "ingest")
    stuck = sa.select(media.c.id, media.c.version).where(media.c.processing_status == "pending", ~is_queued)
    found = connection.execute(stuck).all()
    for start in range(0, len(found), BATCH):
        end_as_card_only(connection, [(row.id, row.version + 1) for row in found[start : start + BATCH]], now)


def end_as_card_only(connection: sa.Connection, pages: Sequence[tuple[UUID, int]], now: datetime) -> None:
    same = {"lifecycle": "processing", "from_state": "pending", "to_state": "card_only", "metadata": {}}
    lines = [same | {"id": uuid4(), "media_id": key, "sort_key": n, "created_at": now} for key, n in pages]
    connection.execute(transitions.insert(), lines)
    ids = [media_id for media_id, _ in pages]
    ended = {"processing_status": "card_only", "version": media.c.version + 1}
    connection.execute(media.update().where(media.c.id.in_(ids)).values(ended))


def spell_escapes_anew() -> None:
    """So that what was saved as `%7Eann` is found as `~ann`."""
    connection = op.get_bind()
    for name, column in URLS.items():
        urls = sa.column(column, sa.Text())
        is_escaped = sa.and_(urls.like("http%"), urls.contains("%", autoescape=True))
        found = connection.execute(sa.select(urls).select_from(sa.table(name)).where(is_escaped)).scalars().all()
        changed = [{"old": url, "new": respell(url)} for url in found if respell(url) != url]
        if changed:
            respelling = RESPELL.format(table=name, column=column, same_key=SAME_KEY.get(name, ""))
            connection.execute(sa.text(respelling), changed)


def respell(url: str) -> str:
    return ESCAPE.sub(respell_escape, url)


def respell_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if UNRESERVED.fullmatch(character) else match[0].upper()
