"""Documents: media that are files, what is known of each, and the file itself among the captures.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Json

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KINDS = "'web_article', 'pdf', 'epub', 'text', 'image'"
FORMATS = "'upload', 'document', 'mhtml', 'html', 'png', 'pdf'"


def upgrade() -> None:
    op.add_column("media", sa.Column("accepts_documents", sa.Boolean(), nullable=False, server_default=sa.true()))
    allow("media", "ck_media_ck_media_known_kind", f"kind IN ({KINDS})")
    allow("page_captures", "ck_page_captures_known_format", f"format IN ({FORMATS})")
    op.create_table(
        "documents",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("page_count", sa.Integer(), nullable=False),
        sa.Column("page_sizes", Json, nullable=False),
        sa.Column("page_starts", Json, nullable=False),
        sa.Column("outline", Json, nullable=False),
        sa.Column("running_text", sa.Text(), nullable=False),
        sa.Column("has_text", sa.Boolean(), nullable=False),
        sa.Column("is_cut", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_documents_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_documents"),
        sa.CheckConstraint(
            "type IN ('pdf', 'epub', 'text', 'markdown', 'image')", name=op.f("ck_documents_known_type")
        ),
    )


def allow(table: str, name: str, condition: str) -> None:
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(op.f(name), type_="check")
        batch.create_check_constraint(op.f(name), condition)
