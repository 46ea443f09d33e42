"""Highlights, and an index of their words.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant
from kept.storage.tables import Counter

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

IS_REMOVED = sa.text("removed_at IS NOT NULL")
# As 0004 made those of items and pages.
SQLITE = (
    "CREATE VIRTUAL TABLE highlight_words USING fts5("
    "quote, note, content='', contentless_delete=1, tokenize=\"ascii tokenchars '.:-_'\")",
)
POSTGRESQL = (
    "CREATE TABLE highlight_words (no bigint NOT NULL CONSTRAINT pk_highlight_words PRIMARY KEY "
    "CONSTRAINT fk_highlight_words_no REFERENCES search_highlights (no) ON DELETE CASCADE, words tsvector NOT NULL)",
    "CREATE INDEX ix_highlight_words_words ON highlight_words USING gin (words) WITH (fastupdate = off)",
)


def upgrade() -> None:
    create_highlights()
    create_search_numbers()
    for statement in SQLITE if op.get_context().dialect.name == "sqlite" else POSTGRESQL:
        op.get_bind().exec_driver_sql(statement)


def create_highlights() -> None:
    op.create_table(
        "highlights",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("start_offset", sa.Integer()),
        sa.Column("end_offset", sa.Integer()),
        sa.Column("hint", sa.Integer()),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("suffix", sa.Text(), nullable=False),
        sa.Column("colour", sa.Text(), nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("anchored_version", sa.Integer()),
        sa.Column("removed_at", Instant()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.CheckConstraint("colour IN ('yellow', 'red', 'green', 'blue')", name="known_colour"),
        sa.CheckConstraint("(start_offset IS NULL) = (end_offset IS NULL)", name="whole_span"),
        sa.CheckConstraint("start_offset >= 0 AND start_offset < end_offset", name="span_has_text"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_highlights_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_highlights_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_highlights"),
    )
    listed = ["user_id", "created_at", "id", "media_id", "colour", "removed_at"]
    op.create_index("ix_highlights_list", "highlights", listed)
    op.create_index("ix_highlights_media_id_user_id", "highlights", ["media_id", "user_id"])
    op.create_index(
        "ix_highlights_removed_at",
        "highlights",
        ["removed_at"],
        sqlite_where=IS_REMOVED,
        postgresql_where=IS_REMOVED,
    )


def create_search_numbers() -> None:
    op.create_table(
        "search_highlights",
        sa.Column("no", Counter, nullable=False, autoincrement=True),
        sa.Column("highlight_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["highlight_id"], ["highlights.id"], name="fk_search_highlights_highlight_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("no", name="pk_search_highlights"),
        sa.UniqueConstraint("highlight_id", name="uq_search_highlights_highlight_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_highlights_version", "search_highlights", ["version"])
