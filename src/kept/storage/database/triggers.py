"""Rules the database itself enforces, so that no code can forget them: fragments and history never change, and what
goes takes its words out of the search index with it.

They are lifted before and laid anew after every migration: rebuilding a table on SQLite drops its triggers in silence.
"""

from typing import Final

from sqlalchemy import Connection, inspect, text

# table -> what is said to whoever tries to change it
IMMUTABLE_TABLES: Final = {
    "fragments": "a fragment never changes",
    "transitions": "history never changes",
}

SQLITE_UPDATE: Final = """
CREATE TRIGGER {table}_refuse_update BEFORE UPDATE ON {table}
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""

# A cascade comes after its media is gone; any other deletion finds it still there.
SQLITE_DELETE: Final = """
CREATE TRIGGER {table}_refuse_delete BEFORE DELETE ON {table}
WHEN EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id)
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""

# An item or a media that goes takes its number along by cascade; on PostgreSQL the number takes the words along, too.
SQLITE_FORGET: Final = """
CREATE TRIGGER {table}_forget_words AFTER DELETE ON {table}
BEGIN {deletions} END
"""
DELETIONS: Final = {
    "search_items": "DELETE FROM item_words WHERE rowid = OLD.no;",
    "search_media": "DELETE FROM card_words WHERE rowid = OLD.no; DELETE FROM page_words WHERE rowid = OLD.no;",
    "search_highlights": "DELETE FROM highlight_words WHERE rowid = OLD.no;",
}

POSTGRESQL_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION {table}_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id) THEN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$
"""

POSTGRESQL_TRIGGER: Final = """
CREATE OR REPLACE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_refuse_change()
"""


def lift_triggers(connection: Connection) -> None:
    """Before a migration: SQLite cannot rename a table while another's trigger speaks of it."""
    if connection.dialect.name != "sqlite":
        return
    for table in IMMUTABLE_TABLES:
        for operation in ("update", "delete"):
            connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_refuse_{operation}"))
    for table in DELETIONS:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {table}_forget_words"))


def lay_triggers(connection: Connection) -> None:
    statements = {
        "sqlite": (SQLITE_UPDATE, SQLITE_DELETE),
        "postgresql": (POSTGRESQL_FUNCTION, POSTGRESQL_TRIGGER),
    }[connection.dialect.name]
    present = set(inspect(connection).get_table_names())
    for table, message in IMMUTABLE_TABLES.items():
        if table in present:
            for statement in statements:
                connection.execute(text(statement.format(table=table, message=message)))
    if connection.dialect.name == "sqlite":
        for table in present & DELETIONS.keys():
            connection.execute(text(SQLITE_FORGET.format(table=table, deletions=DELETIONS[table])))
