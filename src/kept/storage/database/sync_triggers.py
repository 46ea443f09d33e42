"""The triggers that number what is made (`numbers`) and keep `synced_items`: each item of a default library, as its
owner's apps list it.

The database does it, so that no code can forget it: a process of an older version, a new way to change a tag. The time
of a change is the database's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kept.domain.lifecycle import ProcessingStatus
from kept.domain.synced import NumberKind

NOW: Final = {"sqlite": "strftime('%Y-%m-%d %H:%M:%f000', 'now')", "postgresql": "clock_timestamp()"}
READY: Final = f"'{ProcessingStatus.READY_FOR_READING}'"
BESIDE: Final = (
    "EXISTS (SELECT 1 FROM items beside WHERE beside.library_id = items.library_id AND beside.media_id = other.id)"
)
# As `storage/copies.py` (`is_in_list`) says it.
IS_LISTED: Final = f"""
(media.superseded_by IS NULL OR NOT EXISTS (SELECT 1 FROM media other
  WHERE other.id = media.superseded_by AND other.processing_status = {READY} AND {BESIDE}))
AND (media.processing_status = {READY} OR NOT EXISTS (SELECT 1 FROM media other
  WHERE other.superseded_by = media.id AND {BESIDE}))
"""  # noqa: S608
REFRESH: Final = f"""
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at, {{now}}, COALESCE(state.is_archived, false),
  COALESCE(state.is_favourite, false), state.read_at IS NULL, CASE WHEN state.is_archived THEN {{now}} END,
  CASE WHEN state.is_favourite THEN {{now}} END, {IS_LISTED}, false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
WHERE {{which}}
ON CONFLICT (item_id) DO UPDATE SET library_id = excluded.library_id, created_at = excluded.created_at,
  changed_at = excluded.changed_at, is_archived = excluded.is_archived, is_favourite = excluded.is_favourite,
  is_unread = excluded.is_unread, is_listed = excluded.is_listed, is_hashed = {{is_hashed}},
  archived_at = CASE WHEN excluded.is_archived THEN COALESCE(synced_items.archived_at, excluded.archived_at) END,
  favourite_at = CASE WHEN excluded.is_favourite THEN COALESCE(synced_items.favourite_at, excluded.favourite_at) END;
"""  # noqa: S608
# Which copy of a page a list shows depends on the others beside it.
WITH_COPIES: Final = """items.library_id = {row}.library_id AND items.media_id IN (
  SELECT {row}.media_id UNION SELECT id FROM media WHERE superseded_by = {row}.media_id
  UNION SELECT superseded_by FROM media WHERE id = {row}.media_id)"""
OF_MEDIA: Final = """items.media_id IN (
  SELECT NEW.id UNION SELECT id FROM media WHERE superseded_by = NEW.id UNION SELECT NEW.superseded_by)"""
OF_PERSON: Final = """items.media_id = NEW.media_id AND items.library_id = (
  SELECT own.id FROM libraries own WHERE own.owner_id = NEW.user_id AND own.is_default)"""
LEAVE_OTHER_LIBRARY: Final = "DELETE FROM synced_items WHERE item_id = NEW.id AND library_id <> NEW.library_id;"

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
    """The items to look at again."""
    columns: tuple[str, ...] = ()
    """Of an update: those that apps show something of."""
    number: NumberKind | None = None
    before: str = ""
    is_hashed: str = "synced_items.is_hashed"
    """Whether the hashes of its URLs are still true."""

    @property
    def name(self) -> str:
        return f"{self.table}_sync_{self.event.lower()}"

    @property
    def when(self) -> str:
        if not self.columns:
            return f"AFTER {self.event} ON {self.table} FOR EACH ROW"
        changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in self.columns)
        return f"AFTER {self.event} OF {', '.join(self.columns)} ON {self.table} FOR EACH ROW WHEN ({changed})"

    def write_action(self, dialect: str) -> str:
        number = GIVE_NUMBER[dialect].format(kind=self.number) if self.number else ""
        refresh = REFRESH.format(now=NOW[dialect], which=self.which, is_hashed=self.is_hashed) if self.which else ""
        return f"{number} {self.before} {refresh}"


TRIGGERS: Final = (
    SyncTrigger("items", "INSERT", WITH_COPIES.format(row="NEW"), number=NumberKind.ITEM, is_hashed="false"),
    SyncTrigger(
        "items",
        "UPDATE",
        WITH_COPIES.format(row="NEW"),
        ("library_id", "media_id", "url", "title", "excerpt", "note", "created_at", "updated_at"),
        before=LEAVE_OTHER_LIBRARY,
        is_hashed="synced_items.is_hashed AND OLD.url = NEW.url AND OLD.media_id = NEW.media_id",
    ),
    SyncTrigger("items", "DELETE", WITH_COPIES.format(row="OLD")),
    SyncTrigger("item_tags", "INSERT", "items.id = NEW.item_id"),
    SyncTrigger("item_tags", "DELETE", "items.id = OLD.item_id"),
    SyncTrigger("reading_states", "INSERT", OF_PERSON),
    SyncTrigger("reading_states", "UPDATE", OF_PERSON, ("is_favourite", "is_archived", "read_at")),
    SyncTrigger("highlights", "INSERT", OF_PERSON, number=NumberKind.HIGHLIGHT),
    SyncTrigger(
        "highlights",
        "UPDATE",
        OF_PERSON,
        ("media_id", "start_offset", "end_offset", "colour", "note", "removed_at"),
    ),
    SyncTrigger(
        "media",
        "UPDATE",
        OF_MEDIA,
        (
            *("title", "excerpt", "byline", "lang", "published_at", "canonical_url", "preview_image_url"),
            *("processing_status", "superseded_by", "word_count"),
        ),
        is_hashed="synced_items.is_hashed AND OLD.canonical_url IS NOT DISTINCT FROM NEW.canonical_url",
    ),
    SyncTrigger("tags", "INSERT", number=NumberKind.TAG),
)

SQLITE: Final = "CREATE TRIGGER {trigger.name} {trigger.when} BEGIN {action} END"
POSTGRESQL_FUNCTION: Final = """
CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  {action}
  RETURN NULL;
END $$
"""
POSTGRESQL: Final = "CREATE TRIGGER {trigger.name} {trigger.when} EXECUTE FUNCTION {trigger.name}()"


def list_sync_triggers(tables: set[str]) -> tuple[SyncTrigger, ...]:
    """None before the tables are there that they fill: a test may stop at an older schema."""
    return TRIGGERS if {"numbers", "synced_items"} <= tables else ()


def write_for_sqlite(tables: set[str]) -> Iterator[str]:
    for trigger in list_sync_triggers(tables):
        yield SQLITE.format(trigger=trigger, action=trigger.write_action("sqlite"))


def write_for_postgresql(tables: set[str]) -> Iterator[tuple[str, str, str]]:
    """Name, function and trigger."""
    for trigger in list_sync_triggers(tables):
        function = POSTGRESQL_FUNCTION.format(trigger=trigger, action=trigger.write_action("postgresql"))
        yield trigger.name, function, POSTGRESQL.format(trigger=trigger)
