"""The texts that highlights were moved from; an index of highlights in the order of their text.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

IS_FORMER = sa.text("former_text_id IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "former_texts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("canonical_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_former_texts"),
    )
    op.add_column("highlights", sa.Column("former_end", sa.Integer()))
    op.add_column("highlights", sa.Column("former_text_id", sa.Uuid()))
    ordered = ["media_id", "user_id", "start_offset"]
    op.create_index("ix_highlights_media_id_user_id_start_offset", "highlights", ordered)
    op.drop_index("ix_highlights_media_id_user_id", "highlights")
    op.create_index(
        "ix_highlights_former_text_id",
        "highlights",
        ["former_text_id"],
        sqlite_where=IS_FORMER,
        postgresql_where=IS_FORMER,
    )
