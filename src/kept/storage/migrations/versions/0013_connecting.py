"""Connecting browser extensions: their one-time codes, and tokens that can save and nothing else.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("can_save", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "connect_codes",
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_connect_codes_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("code_hash", name="pk_connect_codes"),
    )
    for column in ("user_id", "expires_at"):
        op.create_index(f"ix_connect_codes_{column}", "connect_codes", [column])
