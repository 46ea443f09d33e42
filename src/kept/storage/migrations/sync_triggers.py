"""The triggers that assign `numbers` and keep `synced_items`, which has each item of a default library as its owner's
apps list it. An item that leaves a library leaves a tombstone.

The database does it, so that no code can forget it, such as a process of an older version or a new way to tag. The time
of a change is the database's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from sqlalchemy import select

from kept.domain.synced import NumberKind
from kept.storage.copies import is_in_list
from kept.storage.database.dialects import DIALECTS
from kept.storage.tables import items, media

# Set in every trigger's function on PostgreSQL: plans are made while a table is small or by old statistics, and are
# still used when thousands of rows come. An index finds whatever a trigger asks for.
INDEXES_ONLY: Final = "SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off"
# As the column type `Instant` writes it.
NOW: Final = {"sqlite": "strftime('%Y-%m-%d %H:%M:%f000', 'now')", "postgresql": "clock_timestamp()"}

# Refresh items, whatever may have changed.
REFRESH: Final = """
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, {now}, COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN {now} END,
  CASE WHEN state.is_favourite THEN {now} END, {is_listed}, false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE {which}
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = {is_hashed},
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
"""
# Something that apps show of items changed, but nothing that decides lists.
TOUCH: Final = "UPDATE synced_items SET changed_at = {now} WHERE item_id IN ({which});"
LEAVE_TOMBSTONE: Final = """
INSERT INTO item_tombstones (item_id, library_id, removed_at) SELECT OLD.id, OLD.library_id, {now} WHERE {has_left}
ON CONFLICT (item_id, library_id) DO UPDATE SET removed_at = excluded.removed_at;
"""
LEAVE_LIST: Final = "DELETE FROM synced_items WHERE item_id = NEW.id AND library_id <> NEW.library_id;"

# Which copy of a page a list shows depends on the others beside it.
COPIES_OF_ITEM: Final = """SELECT {row}.media_id UNION SELECT id FROM media WHERE superseded_by = {row}.media_id
  UNION SELECT superseded_by FROM media WHERE id = {row}.media_id"""
COPIES_OF_NEW, COPIES_OF_OLD = (
    (f"items.library_id = {row}.library_id", COPIES_OF_ITEM.format(row=row)) for row in ("NEW", "OLD")
)
COPIES_OF_MEDIA: Final = (
    "SELECT NEW.id UNION SELECT id FROM media WHERE superseded_by = NEW.id UNION SELECT NEW.superseded_by"
)
# PostgreSQL looks up one copy after the other, by its key. For all at once it makes a plan while a library is small,
# keeps it when thousands are imported, and goes through the whole library for each of them.
OF_COPIES: Final = {"sqlite": "items.media_id IN ({copies})", "postgresql": "items.media_id = of_copy"}
EACH_COPY: Final = {"sqlite": "{refresh}", "postgresql": "FOR of_copy IN {copies} LOOP {refresh} END LOOP;"}
OF_PERSON: Final = """items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default)"""

IS_NUMBERED: Final = "EXISTS (SELECT 1 FROM numbers WHERE kind = '{kind}' AND subject_id = NEW.id)"
GIVE_NUMBER: Final = {
    "sqlite": f"INSERT INTO numbers (kind, subject_id) SELECT '{{kind}}', NEW.id WHERE NOT {IS_NUMBERED};",
    # A number that a file brought may be the sequence's next: then the one after it is taken.
    "postgresql": f"WHILE NOT {IS_NUMBERED} LOOP "  # noqa: S608
    "INSERT INTO numbers (kind, subject_id) VALUES ('{kind}', NEW.id) ON CONFLICT DO NOTHING; END LOOP;",
}


@dataclass(frozen=True, slots=True)
class SyncTrigger:
    table: str
    event: str
    which: str = ""
    """A condition for the items to refresh."""
    copies: str = ""
    """A query for media; only items of their copies are refreshed."""
    touched: str = ""
    """A query for items of which only the time of change is set."""
    columns: tuple[str, ...] = ()
    """The columns of an update that apps show something of."""
    number: NumberKind | None = None
    has_left: str = ""
    """A condition for an item that left its library."""
    is_hashed: str = "synced_items.is_hashed"
    """An expression for whether the hashes of an item's URLs are still valid."""
    label: str = "sync"

    @property
    def name(self) -> str:
        return f"{self.table}_{self.label}_{self.event.lower()}"

    @property
    def when(self) -> str:
        if not self.columns:
            return f"AFTER {self.event} ON {self.table} FOR EACH ROW"
        changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in self.columns)
        return f"AFTER {self.event} OF {', '.join(self.columns)} ON {self.table} FOR EACH ROW WHEN ({changed})"

    def write_action(self, dialect: str) -> str:
        return " ".join(self.list_statements(dialect, NOW[dialect]))

    def list_statements(self, dialect: str, now: str) -> Iterator[str]:
        if self.number:
            yield GIVE_NUMBER[dialect].format(kind=self.number)
        if self.has_left:
            yield LEAVE_TOMBSTONE.format(now=now, has_left=self.has_left)
        if self.has_left and self.event == "UPDATE":
            yield LEAVE_LIST
        if self.touched:
            yield TOUCH.format(now=now, which=self.touched)
        if self.which or self.copies:
            yield self.write_refresh(dialect, now)

    def write_refresh(self, dialect: str, now: str) -> str:
        of_copies = OF_COPIES[dialect].format(copies=self.copies) if self.copies else ""
        which = " AND ".join(filter(None, (self.which, of_copies)))
        is_listed = write_is_listed(dialect)
        refresh = REFRESH.format(now=now, which=which, is_hashed=self.is_hashed, is_listed=is_listed)
        return EACH_COPY[dialect].format(copies=self.copies, refresh=refresh) if self.copies else refresh


@cache
def write_is_listed(dialect: str) -> str:
    """Return the condition of every list (`is_in_list`) as SQL, with its values written into it."""
    spoken = DIALECTS[dialect].dialect()
    query = select(items.c.id).join(media, media.c.id == items.c.media_id).where(is_in_list())
    _, _, condition = str(query.compile(dialect=spoken, compile_kwargs={"literal_binds": True})).partition("WHERE ")
    return f"({condition})"


TRIGGERS: Final = (
    SyncTrigger("items", "INSERT", *COPIES_OF_NEW, number=NumberKind.ITEM, is_hashed="false"),
    SyncTrigger(
        "items",
        "UPDATE",
        *COPIES_OF_NEW,
        columns=("library_id", "media_id", "url", "title", "excerpt", "note", "created_at", "updated_at"),
        has_left="OLD.library_id <> NEW.library_id",
        is_hashed="synced_items.is_hashed AND OLD.url = NEW.url AND OLD.media_id = NEW.media_id",
    ),
    SyncTrigger("items", "DELETE", *COPIES_OF_OLD, has_left="true"),
    SyncTrigger("earlier_copies", "INSERT", "items.id = NEW.item_id"),
    SyncTrigger("earlier_copies", "DELETE", "items.id = OLD.item_id"),
    SyncTrigger("item_tags", "INSERT", touched="NEW.item_id"),
    SyncTrigger("item_tags", "DELETE", touched="OLD.item_id"),
    SyncTrigger("reading_states", "INSERT", OF_PERSON),
    SyncTrigger("reading_states", "UPDATE", OF_PERSON, columns=("is_favourite", "is_archived", "read_at", "progress")),
    SyncTrigger("highlights", "INSERT", touched=f"SELECT id FROM items WHERE {OF_PERSON}", number=NumberKind.HIGHLIGHT),  # noqa: S608
    SyncTrigger(
        "highlights",
        "UPDATE",
        touched=f"SELECT id FROM items WHERE {OF_PERSON}",  # noqa: S608
        columns=("media_id", "start_offset", "end_offset", "colour", "note", "removed_at"),
    ),
    SyncTrigger(
        "media",
        "UPDATE",
        copies=COPIES_OF_MEDIA,
        columns=("canonical_url", "processing_status", "superseded_by"),
        is_hashed="synced_items.is_hashed AND OLD.canonical_url IS NOT DISTINCT FROM NEW.canonical_url",
    ),
    SyncTrigger(
        "media",
        "UPDATE",
        touched="SELECT id FROM items WHERE media_id = NEW.id",
        columns=("title", "excerpt", "byline", "lang", "published_at", "preview_image_url", "word_count"),
        label="sync_card",
    ),
    SyncTrigger("tags", "INSERT", number=NumberKind.TAG),
)

SQLITE: Final = "CREATE TRIGGER {trigger.name} {trigger.when} BEGIN {action} END"
POSTGRESQL_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql {indexes_only} AS $$
DECLARE of_copy uuid;
BEGIN
  {action}
  RETURN NULL;
END $$
"""
POSTGRESQL: Final = "CREATE TRIGGER {trigger.name} {trigger.when} EXECUTE FUNCTION {trigger.name}()"


def write_for_sqlite() -> Iterator[str]:
    for trigger in TRIGGERS:
        yield SQLITE.format(trigger=trigger, action=trigger.write_action("sqlite"))


def write_for_postgresql() -> Iterator[tuple[str, str, str]]:
    """Yield name, function and trigger of each."""
    for trigger in TRIGGERS:
        action = trigger.write_action("postgresql")
        function = POSTGRESQL_FUNCTION.format(trigger=trigger, action=action, indexes_only=INDEXES_ONLY)
        yield trigger.name, function, POSTGRESQL.format(trigger=trigger)
