"""Removed items: kept for a while, so that a removal can be undone.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant, Json

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "removed_items",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("batch_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("removed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_removed_items_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_removed_items_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_removed_items_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name="pk_removed_items"),
    )
    for column in ("batch_id", "user_id", "library_id", "media_id", "removed_at"):
        op.create_index(f"ix_removed_items_{column}", "removed_items", [column])
