"""One way to know what changed: tombstones by the triggers of `synced_items`; former copies are in no list of apps;
what is unread and what was begun is found by indexes.

Revision ID: 0016 Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# Triggers that are gone, or whose event changed: what is missing is laid anew after the migration.
DROPPED = {
    "items_leave_delete": "items",
    "items_leave_update": "items",
    "reading_states_sync_update": "reading_states",
    "media_sync_update": "media",
}
ARCHIVED_UNREAD = ["library_id", "is_listed", "is_archived", "created_at", "item_id", "is_unread"]
IS_STARTED = sa.text("progress > 0 AND read_at IS NULL")


def upgrade() -> None:
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for trigger, table in DROPPED.items():
        op.execute(f"DROP TRIGGER IF EXISTS {trigger}" + ("" if is_sqlite else f" ON {table}"))
    if not is_sqlite:
        op.execute("DROP FUNCTION IF EXISTS items_leave_delete()")
        op.execute("DROP FUNCTION IF EXISTS items_leave_update()")
    op.create_index("ix_synced_items_archived_unread", "synced_items", ARCHIVED_UNREAD)
    op.drop_index("ix_synced_items_archived", "synced_items")
    op.create_index(
        "ix_reading_states_started",
        "reading_states",
        ["user_id", "media_id"],
        sqlite_where=IS_STARTED,
        postgresql_where=IS_STARTED,
    )
    op.execute("UPDATE synced_items SET is_listed = false WHERE item_id IN (SELECT item_id FROM earlier_copies)")
