"""Why the last visit for a whole page brought none.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "capture_failures",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("failed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_capture_failures_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_capture_failures"),
    )
