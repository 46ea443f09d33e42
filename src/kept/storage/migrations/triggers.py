"""Rules the database itself enforces, so that no code can forget them: fragments and history never change, what is
deleted takes its words out of the search index, what changes is marked to be indexed again, the numbers of a library
follow its items, and apps are told of every change (`sync_triggers.py`).

The marks are for processes that do not index what they write: those of an older version, which still run while they are
replaced. Whoever indexes in the same transaction takes the mark away again; a worker indexes the rest.

Triggers are dropped before and created after every migration: rebuilding a table on SQLite drops them silently.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

from kept.storage.migrations import sync_triggers

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
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR EXISTS (SELECT 1 FROM media WHERE id = OLD.media_id) THEN
    RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$
"""

POSTGRESQL_TRIGGER: Final = """
CREATE TRIGGER {name} BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {name}()
"""


# Version -1: nothing was indexed, or something changed since. A number that is marked already is marked again: whoever
# indexes just now must wait for this transaction.
GIVE_NUMBER: Final = "INSERT INTO {numbers} ({key}, version) VALUES ({row}, -1) ON CONFLICT DO NOTHING;"
MARK_STALE: Final = "UPDATE {numbers} SET version = -1 WHERE {key} = {row};"
# An item and its media have numbers, in whichever order they came or moved. These are values and no joins, so that
# PostgreSQL has no choice where to begin.
FOLLOW_ITEMS: Final = """
INSERT INTO {numbers} (item_no, library_id, media_no)
SELECT item_no, library_id, media_no FROM (
  SELECT (SELECT no FROM search_items WHERE item_id = items.id) AS item_no, items.library_id,
    (SELECT no FROM search_media WHERE media_id = items.media_id) AS media_no
  FROM items WHERE {key} = {row}) numbered
WHERE item_no IS NOT NULL AND media_no IS NOT NULL
ON CONFLICT (item_no) DO UPDATE SET library_id = excluded.library_id, media_no = excluded.media_no;
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A change of a table that makes words or numbers of the search index stale."""

    table: str
    event: str
    numbers: str
    key: str
    row: str
    columns: tuple[str, ...] = ()
    """The columns of an update that the index contains."""
    statement: str = MARK_STALE
    verb: str = "mark"

    @property
    def name(self) -> str:
        return f"{self.table}_{self.verb}_{self.event.lower()}"

    @property
    def action(self) -> str:
        return self.statement.format(numbers=self.numbers, key=self.key, row=self.row)

    @property
    def when(self) -> str:
        """The event, and for an update the condition that one of the columns changed."""
        if not self.columns:
            return f"{self.event} ON {self.table} FOR EACH ROW"
        changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in self.columns)
        return f"{self.event} OF {', '.join(self.columns)} ON {self.table} FOR EACH ROW WHEN ({changed})"


def follow(table: str, event: str, key: str, row: str, columns: tuple[str, ...] = ()) -> Mark:
    return Mark(table, event, "library_numbers", key, row, columns, FOLLOW_ITEMS, "follow")


MARKS: Final = (
    Mark("items", "INSERT", "search_items", "item_id", "NEW.id", statement=GIVE_NUMBER),
    Mark("items", "UPDATE", "search_items", "item_id", "NEW.id", ("url", "title", "excerpt", "note")),
    Mark("item_tags", "INSERT", "search_items", "item_id", "NEW.item_id"),
    Mark("item_tags", "DELETE", "search_items", "item_id", "OLD.item_id"),
    Mark("media", "INSERT", "search_media", "media_id", "NEW.id", statement=GIVE_NUMBER),
    Mark(
        "media",
        "UPDATE",
        "search_media",
        "media_id",
        "NEW.id",
        ("title", "excerpt", "byline", "site_name", "canonical_url"),
    ),
    Mark("fragments", "INSERT", "search_media", "media_id", "NEW.media_id"),
    follow("search_items", "INSERT", "items.id", "NEW.item_id"),
    follow("search_media", "INSERT", "items.media_id", "NEW.media_id"),
    follow("items", "UPDATE", "items.id", "NEW.id", ("library_id", "media_id")),
)

SQLITE_MARK: Final = "CREATE TRIGGER {mark.name} AFTER {mark.when} BEGIN {action} END"
POSTGRESQL_MARK_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION {mark.name}() RETURNS trigger LANGUAGE plpgsql {indexes_only} AS $$
BEGIN
  {action}
  RETURN NULL;
END $$
"""
POSTGRESQL_MARK: Final = "CREATE TRIGGER {mark.name} AFTER {mark.when} EXECUTE FUNCTION {mark.name}()"
POSTGRESQL_TRIGGERS: Final = """
SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
"""


def drop_triggers(connection: Connection) -> None:
    """Drop the triggers before a migration: SQLite cannot rename a table that another's trigger names."""
    if connection.dialect.name != "sqlite":
        return
    names = [f"{table}_refuse_{operation}" for table in IMMUTABLE_TABLES for operation in ("update", "delete")]
    names += [f"{table}_forget_words" for table in DELETIONS]
    names += [mark.name for mark in MARKS]
    names += [trigger.name for trigger in sync_triggers.TRIGGERS]
    for name in names:
        connection.execute(text(f"DROP TRIGGER IF EXISTS {name}"))


def create_triggers(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        for statement in list_for_sqlite():
            connection.execute(text(statement))
        return
    # A trigger that exists is left alone: creating it again would lock its table at every start while others write. So
    # a trigger that changes gets another name; its function may change.
    laid = set(connection.execute(text(POSTGRESQL_TRIGGERS)).scalars())
    for name, function, trigger in list_for_postgresql():
        connection.execute(text(function))
        if name not in laid:
            connection.execute(text(trigger))


def list_for_sqlite() -> Iterator[str]:
    for table, message in IMMUTABLE_TABLES.items():
        for statement in (SQLITE_UPDATE, SQLITE_DELETE):
            yield statement.format(table=table, message=message)
    for table, deletions in DELETIONS.items():
        yield SQLITE_FORGET.format(table=table, deletions=deletions)
    for mark in MARKS:
        yield SQLITE_MARK.format(mark=mark, action=mark.action)
    yield from sync_triggers.write_for_sqlite()


def list_for_postgresql() -> Iterator[tuple[str, str, str]]:
    """Yield name, function and trigger of each."""
    for table, message in IMMUTABLE_TABLES.items():
        name = f"{table}_refuse_change"
        function = POSTGRESQL_FUNCTION.format(name=name, message=message)
        yield name, function, POSTGRESQL_TRIGGER.format(name=name, table=table)
    for mark in MARKS:
        indexes_only = sync_triggers.INDEXES_ONLY
        function = POSTGRESQL_MARK_FUNCTION.format(mark=mark, action=mark.action, indexes_only=indexes_only)
        yield mark.name, function, POSTGRESQL_MARK.format(mark=mark)
    yield from sync_triggers.write_for_postgresql()
