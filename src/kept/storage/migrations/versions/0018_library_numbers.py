"""Search: the numbers of what each library holds, in one place.

Some 15 s for a million items.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.tables import Counter

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

# What others save meanwhile waits: neither this nor the triggers, which come at the end, would see it.
LOCK = "LOCK TABLE items, search_items, search_media IN SHARE ROW EXCLUSIVE MODE"
FILL = """
INSERT INTO library_numbers (item_no, library_id, media_no)
SELECT search_items.no, items.library_id, search_media.no FROM items
JOIN search_items ON search_items.item_id = items.id JOIN search_media ON search_media.media_id = items.media_id
"""


def upgrade() -> None:
    op.create_table(
        "library_numbers",
        sa.Column("item_no", Counter, nullable=False, autoincrement=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("media_no", Counter, nullable=False),
        sa.ForeignKeyConstraint(
            ["item_no"], ["search_items.no"], name="fk_library_numbers_item_no", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_no", name="pk_library_numbers"),
    )
    if op.get_context().dialect.name != "sqlite":
        op.execute(sa.text(LOCK))
    op.execute(sa.text(FILL))
    columns = ["library_id", "media_no", "item_no"]
    op.create_index("ix_library_numbers_library_id_media_no_item_no", "library_numbers", columns)
