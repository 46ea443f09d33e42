"""Undo batches: how to take back what somebody changed in a list a moment ago.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant, Json

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "undo_batches",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("changes", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_undo_batches_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_undo_batches"),
    )
    for column in ("user_id", "created_at"):
        op.create_index(f"ix_undo_batches_{column}", "undo_batches", [column])
