"""The items of a tag are read from its index alone.

SQLite looked each of them up in the table: of a tag with 4,500 items, 3.5 ms of a search.

Revision ID: 0021
Revises: 0020
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_item_tags_tag_id", "item_tags")
    op.create_index("ix_item_tags_tag_id_item_id", "item_tags", ["tag_id", "item_id"])
