"""Imports: what was found in a file, how it is to be used, and pages that came with one and are nobody else's.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Json

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("is_private", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("imports", sa.Column("options", Json, nullable=False, server_default="{}"))
    op.add_column("imports", sa.Column("report", Json))
    op.add_column("imports", sa.Column("problem", sa.Text()))
    op.create_table(
        "private_pages",
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_private_pages_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_private_pages_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("library_id", "url", name="pk_private_pages"),
    )
    op.create_index("ix_private_pages_media_id", "private_pages", ["media_id"])
