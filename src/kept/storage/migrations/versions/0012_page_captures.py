"""Whole pages: files of a page as it looked, and which libraries want them. Former copies beside private ones.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "page_captures",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text()),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_page_captures_media_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_page_captures_user_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("media_id", "format", name="pk_page_captures"),
        sa.CheckConstraint(
            "format IN ('upload', 'mhtml', 'html', 'png', 'pdf')", name=op.f("ck_page_captures_known_format")
        ),
    )
    for column in ("digest", "user_id"):
        op.create_index(f"ix_page_captures_{column}", "page_captures", [column])
    op.create_table(
        "earlier_copies",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("shown_item_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_earlier_copies_item_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["shown_item_id"], ["items.id"], name="fk_earlier_copies_shown_item_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_id", name="pk_earlier_copies"),
    )
    op.create_index("ix_earlier_copies_shown_item_id", "earlier_copies", ["shown_item_id"])
    op.add_column("libraries", sa.Column("captures_pages", sa.Boolean(), nullable=False, server_default=sa.false()))
