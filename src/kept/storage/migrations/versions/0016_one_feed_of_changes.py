"""One way to know what changed: tombstones by the triggers of `synced_items`; former copies are in no list of apps.

Revision ID: 0016
Revises: 0014
"""

from alembic import op

revision = "0016"
down_revision = "0014"
branch_labels = None
depends_on = None

# Triggers that are gone, or whose event changed: what is missing is laid anew after the migration.
DROPPED = {"items_leave_delete": "items", "items_leave_update": "items", "reading_states_sync_update": "reading_states"}


def upgrade() -> None:
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for trigger, table in DROPPED.items():
        op.execute(f"DROP TRIGGER IF EXISTS {trigger}" + ("" if is_sqlite else f" ON {table}"))
    if not is_sqlite:
        op.execute("DROP FUNCTION IF EXISTS items_leave_delete()")
        op.execute("DROP FUNCTION IF EXISTS items_leave_update()")
    op.execute("UPDATE synced_items SET is_listed = false WHERE item_id IN (SELECT item_id FROM earlier_copies)")
