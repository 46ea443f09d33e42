"""Every table, as it is today. Migrations tell how it came to be; a test holds the two together."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    false,
    text,
    true,
)

from kept.domain.account import VALID_FOR
from kept.domain.capture import CaptureFormat
from kept.domain.document import DocumentType
from kept.domain.failures import FailureStage
from kept.domain.highlight import Colour
from kept.domain.library import Role
from kept.domain.lifecycle import EnrichmentStatus, Lifecycle, ProcessingStatus
from kept.domain.media import MediaKind
from kept.domain.oauth import GrantState
from kept.domain.synced import NumberKind
from kept.storage.database.columns import Instant, Json

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# Conditions of partial indexes, as SQLAlchemy spells them: SQLite uses one only where the query has the same words.
NOT_HASHED: Final = {"sqlite": "is_hashed = 0", "postgresql": "NOT is_hashed"}
CLAIMABLE: Final = {"sqlite": "is_queued_behind = 0", "postgresql": "NOT is_queued_behind"}
QUEUED_BEHIND: Final = {"sqlite": "is_queued_behind = 1", "postgresql": "is_queued_behind"}


def partial_index(name: str, *columns: str, where: str | Mapping[str, str], unique: bool = False) -> Index:
    """Return an index of the rows that meet the condition, which the two databases may spell differently."""
    said = dict.fromkeys(("sqlite", "postgresql"), where) if isinstance(where, str) else where
    sqlite_where, postgresql_where = text(said["sqlite"]), text(said["postgresql"])
    return Index(name, *columns, unique=unique, sqlite_where=sqlite_where, postgresql_where=postgresql_where)


# SQLite only counts up by itself in a column spelt INTEGER.
Counter: Final = BigInteger().with_variant(Integer(), "sqlite")


def one_of(column: str, values: Iterable[StrEnum]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=f"known_{column}")


def cascade(column: str) -> ForeignKey:
    return ForeignKey(column, ondelete="CASCADE")


# --- accounts ---------------------------------------------------------------------------------------------------

users = Table(
    "users",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("is_admin", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("user_agent", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("scopes", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
)

# One-time codes for which a browser extension gets a token; bound to a challenge only that extension can answer.
connect_codes = Table(
    "connect_codes",
    metadata,
    Column("code_hash", Text, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("challenge", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

setup_links = Table(
    "setup_links",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
)

# What image links are signed with, so that an app shows a person's images without sending their token.
image_link_keys = Table(
    "image_link_keys",
    metadata,
    Column("user_id", Uuid, cascade("users.id"), primary_key=True),
    Column("key", Text, nullable=False),
)

# Apps that ask for access, and the result. Both last minutes: what stays is an API token.
oauth_clients = Table(
    "oauth_clients",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("details", Json, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)

oauth_grants = Table(
    "oauth_grants",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("client_id", Uuid, cascade("oauth_clients.id"), nullable=False, index=True),
    # of the device code or the authorization code
    Column("code_hash", Text, nullable=False, unique=True),
    # what a person types in; only where a device asks
    Column("user_code", Text, unique=True),
    Column("code_challenge", Text),
    Column("redirect_uri", Text),
    Column("scope", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("user_id", Uuid, cascade("users.id"), index=True),
    Column("polled_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
    one_of("state", GrantState),
)

preferences = Table(
    "preferences",
    metadata,
    Column("user_id", Uuid, cascade("users.id"), primary_key=True),
    Column("values", Json, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

# --- libraries --------------------------------------------------------------------------------------------------

libraries = Table(
    "libraries",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("owner_id", Uuid, cascade("users.id"), nullable=False),
    Column("is_default", Boolean, nullable=False),
    # a copy of the whole page is kept of everything that is saved here
    Column("captures_pages", Boolean, nullable=False, server_default=false()),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Index("ix_libraries_owner_id", "owner_id"),
    partial_index("uq_libraries_default_owner_id", "owner_id", where="is_default", unique=True),
)

library_members = Table(
    "library_members",
    metadata,
    Column("library_id", Uuid, cascade("libraries.id"), primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), primary_key=True, index=True),
    Column("role", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    one_of("role", Role),
)

# --- media: what the web page says ------------------------------------------------------------------------------

media = Table(
    "media",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    # internal: it may be somebody's private link, so it is never shown
    Column("source_url", Text, nullable=False),
    Column("canonical_url", Text),
    Column("title", Text),
    Column("excerpt", Text),
    Column("byline", Text),
    Column("site_name", Text),
    Column("lang", Text),
    Column("published_at", Instant),
    Column("preview_image_url", Text),
    Column("thumbnail_key", Text),
    # why the preview image could not be stored; a screenshot then replaces it
    Column("preview_error", Text),
    Column("favicon_url", Text),
    Column("metadata", Json, nullable=False),
    Column("enrichment_status", Text, nullable=False),
    Column("enrichment_error", Text),
    Column("enriched_at", Instant),
    Column("processing_status", Text, nullable=False),
    Column("failure_code", Text),
    Column("failure_message", Text),
    Column("failure_stage", Text),
    Column("failure_details", Json),
    Column("processing_attempts", Integer, nullable=False),
    Column("processing_started_at", Instant),
    Column("processing_completed_at", Instant),
    Column("failed_at", Instant),
    Column("fetched_at", Instant),
    Column("word_count", Integer),
    Column("version", Integer, nullable=False),
    Column("superseded_by", Uuid, ForeignKey("media.id", ondelete="SET NULL"), index=True),
    # came with somebody's file and not from our own fetch: it never gets an alias or a canonical URL
    Column("is_private", Boolean, nullable=False, server_default=false()),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    # false where a web article was asked for: a file at the URL is a failure then
    Column("accepts_documents", Boolean, nullable=False, server_default=true()),
    UniqueConstraint("kind", "canonical_url"),
    one_of("kind", MediaKind),
    one_of("processing_status", ProcessingStatus),
    one_of("enrichment_status", EnrichmentStatus),
    one_of("failure_stage", FailureStage),
    Index("ix_media_processing_status", "processing_status"),
)

url_aliases = Table(
    "url_aliases",
    metadata,
    Column("url", Text, primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, index=True),
)

# Pages that a library alone has at a URL: articles that came with a file. Nobody else is ever led here.
private_pages = Table(
    "private_pages",
    metadata,
    Column("library_id", Uuid, cascade("libraries.id"), primary_key=True),
    Column("url", Text, primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, index=True),
)

merged_ids = Table(
    "merged_ids",
    metadata,
    Column("old_id", Uuid, primary_key=True),
    Column("new_id", Uuid, cascade("media.id"), nullable=False, index=True),
)

fragments = Table(
    "fragments",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("html_sanitized", Text, nullable=False),
    Column("canonical_text", Text, nullable=False),
    Column("canonical_version", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("media_id", "ordinal"),
    CheckConstraint("ordinal = 0", name="only_one"),
)

transitions = Table(
    "transitions",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False),
    Column("sort_key", Integer, nullable=False),
    Column("lifecycle", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("media_id", "sort_key"),
    one_of("lifecycle", Lifecycle),
    Index("ix_transitions_to_state", "to_state"),
)

page_snapshots = Table(
    "page_snapshots",
    metadata,
    Column("media_id", Uuid, cascade("media.id"), primary_key=True),
    Column("final_url", Text, nullable=False),
    Column("headers", Json, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("fetched_at", Instant, nullable=False, index=True),
)

image_assets = Table(
    "image_assets",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, index=True),
    Column("origin_url", Text, nullable=False),
    Column("blob_key", Text),
    Column("content_type", Text),
    Column("created_at", Instant, nullable=False),
)

# A page as it looked, in files: what a browser captured, or the file that somebody uploaded; and files of documents.
page_captures = Table(
    "page_captures",
    metadata,
    Column("media_id", Uuid, cascade("media.id"), primary_key=True),
    Column("format", Text, primary_key=True),
    Column("blob_key", Text, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    # of an uploaded file, by which the same one is known again
    Column("digest", Text, index=True),
    # who asked for it: its bytes are counted as theirs
    Column("user_id", Uuid, ForeignKey("users.id", ondelete="SET NULL"), index=True),
    Column("created_at", Instant, nullable=False),
    one_of("format", CaptureFormat),
)

# What is known of a document beside its article; the file itself is a capture.
documents = Table(
    "documents",
    metadata,
    Column("media_id", Uuid, cascade("media.id"), primary_key=True),
    Column("type", Text, nullable=False),
    Column("page_count", Integer, nullable=False),
    Column("page_sizes", Json, nullable=False),
    # where each page begins in the canonical text
    Column("page_starts", Json, nullable=False),
    Column("outline", Json, nullable=False),
    # headers and footers that repeat: to be found, but not part of the article
    Column("running_text", Text, nullable=False),
    Column("has_text", Boolean, nullable=False),
    Column("is_cut", Boolean, nullable=False),
    one_of("type", DocumentType),
)

# --- items: what people say -------------------------------------------------------------------------------------

# Why the last visit brought no whole page; deleted by the next that does.
capture_failures = Table(
    "capture_failures",
    metadata,
    Column("media_id", Uuid, cascade("media.id"), primary_key=True),
    Column("code", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("failed_at", Instant, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("library_id", Uuid, cascade("libraries.id"), nullable=False),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, index=True),
    Column("url", Text, nullable=False),
    Column("added_by", Uuid, ForeignKey("users.id", ondelete="SET NULL"), index=True),
    Column("title", Text),
    Column("excerpt", Text),
    Column("note", Text),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    UniqueConstraint("library_id", "media_id"),
    Index("ix_items_library_id_created_at_id", "library_id", "created_at", "id"),
)

# Items of a library that hold a former copy of a page whose item now shows a private one. `media.superseded_by` cannot
# tell it: the former copy may be a page that others have too.
earlier_copies = Table(
    "earlier_copies",
    metadata,
    Column("item_id", Uuid, cascade("items.id"), primary_key=True),
    Column("shown_item_id", Uuid, cascade("items.id"), nullable=False, index=True),
)

tags = Table(
    "tags",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("library_id", Uuid, cascade("libraries.id"), nullable=False),
    Column("name", Text, nullable=False),
    UniqueConstraint("library_id", "name"),
)

item_tags = Table(
    "item_tags",
    metadata,
    Column("item_id", Uuid, cascade("items.id"), primary_key=True),
    Column("tag_id", Uuid, cascade("tags.id"), primary_key=True),
    Index("ix_item_tags_tag_id_item_id", "tag_id", "item_id"),
)

IS_STARTED: Final = "progress > 0 AND read_at IS NULL"

reading_states = Table(
    "reading_states",
    metadata,
    Column("user_id", Uuid, cascade("users.id"), primary_key=True),
    Column("media_id", Uuid, cascade("media.id"), primary_key=True, index=True),
    Column("is_favourite", Boolean, nullable=False),
    Column("is_archived", Boolean, nullable=False),
    Column("read_at", Instant),
    Column("progress", Float, nullable=False),
    Column("updated_at", Instant, nullable=False),
    CheckConstraint("progress >= 0 AND progress <= 1", name="progress_is_a_share"),
    # what somebody has begun to read
    partial_index("ix_reading_states_started", "user_id", "media_id", where=IS_STARTED),
)

# The text of a copy that highlights were moved from, for as long as one of them has not been found since: it tells a
# passage from another that says the same.
former_texts = Table(
    "former_texts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("canonical_text", Text, nullable=False),
)

# What one person marked in an article. The span is in code points of its canonical text; without one the quote was not
# found in this copy, or was not looked for yet (`anchored_version` is null).
highlights = Table(
    "highlights",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False),
    Column("media_id", Uuid, cascade("media.id"), nullable=False),
    Column("start_offset", Integer),
    Column("end_offset", Integer),
    # about where it starts: chooses among several places when it is looked for
    Column("hint", Integer),
    # where it was before it was moved: from `hint` to this in the former text
    Column("former_end", Integer),
    Column("former_text_id", Uuid),
    Column("quote", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("suffix", Text, nullable=False),
    Column("colour", Text, nullable=False),
    Column("note", Text),
    Column("anchored_version", Integer),
    # when it was removed: for a while that can be undone
    Column("removed_at", Instant),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    one_of("colour", Colour),
    CheckConstraint("(start_offset IS NULL) = (end_offset IS NULL)", name="whole_span"),
    CheckConstraint("start_offset >= 0 AND start_offset < end_offset", name="span_has_text"),
    # a person's, newest first, with the columns of lists, so that only rows that are shown are read
    Index("ix_highlights_list", "user_id", "created_at", "id", "media_id", "colour", "removed_at"),
    # those on one media, in the order of its text
    Index("ix_highlights_media_id_user_id_start_offset", "media_id", "user_id", "start_offset"),
    partial_index("ix_highlights_former_text_id", "former_text_id", where="former_text_id IS NOT NULL"),
    partial_index("ix_highlights_removed_at", "removed_at", where="removed_at IS NOT NULL"),
)

# What was removed, for as long as it can be undone. Whoever clears up media must leave those named here.
removed_items = Table(
    "removed_items",
    metadata,
    Column("item_id", Uuid, primary_key=True),
    Column("batch_id", Uuid, nullable=False, index=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("library_id", Uuid, cascade("libraries.id"), nullable=False, index=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, index=True),
    Column("content", Json, nullable=False),
    Column("removed_at", Instant, nullable=False, index=True),
)

# What is no longer in a library, for programs that sync: a trigger writes it. Nothing refers to the library, which may
# go with all its items.
item_tombstones = Table(
    "item_tombstones",
    metadata,
    Column("item_id", Uuid, primary_key=True),
    Column("library_id", Uuid, primary_key=True),
    Column("removed_at", Instant, nullable=False, index=True),
    Index("ix_item_tombstones_library_id_removed_at", "library_id", "removed_at"),
)

# How to take back what somebody changed in a list a moment ago; removals are in `removed_items`.
undo_batches = Table(
    "undo_batches",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("changes", Json, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)

# Items that were united with another of their library: whoever knows the old id is led to the new one. Nothing refers
# to items, for the new one may be removed and brought back.
merged_items = Table(
    "merged_items",
    metadata,
    Column("old_id", Uuid, primary_key=True),
    Column("new_id", Uuid, nullable=False, index=True),
)

# --- search -----------------------------------------------------------------------------------------------------

# Numbers for what is indexed: later ones are newer, and none comes twice. The words themselves are in tables of each
# database's own kind, of which SQLAlchemy knows nothing (storage/search/fields.py). `version` tells how the words were
# made.
search_items = Table(
    "search_items",
    metadata,
    Column("no", Counter, primary_key=True, autoincrement=True),
    Column("item_id", Uuid, cascade("items.id"), nullable=False, unique=True),
    Column("version", Integer, nullable=False, index=True),
    sqlite_autoincrement=True,
)

search_media = Table(
    "search_media",
    metadata,
    Column("no", Counter, primary_key=True, autoincrement=True),
    Column("media_id", Uuid, cascade("media.id"), nullable=False, unique=True),
    Column("version", Integer, nullable=False, index=True),
    sqlite_autoincrement=True,
)

search_highlights = Table(
    "search_highlights",
    metadata,
    Column("no", Counter, primary_key=True, autoincrement=True),
    Column("highlight_id", Uuid, cascade("highlights.id"), nullable=False, unique=True),
    Column("version", Integer, nullable=False, index=True),
    sqlite_autoincrement=True,
)

# The numbers by which the index knows a library's items, kept by triggers (storage/migrations/triggers.py), so that a
# search finds its own library's numbers in one place, and newest first. A library goes with its items.
library_numbers = Table(
    "library_numbers",
    metadata,
    Column("item_no", Counter, cascade("search_items.no"), primary_key=True, autoincrement=False),
    Column("library_id", Uuid, nullable=False),
    Column("media_no", Counter, nullable=False),
    Index("ix_library_numbers_library_id_media_no_item_no", "library_id", "media_no", "item_no"),
)

# --- what other programs' apps ask (docs/apps.md) -------------------------------------------------------------------

# Numbers for apps that know no UUIDs: given when a row is made, never given again. Nothing refers to the rows, for
# they may be removed and brought back.
numbers = Table(
    "numbers",
    metadata,
    Column("no", Integer, primary_key=True, autoincrement=True),
    Column("kind", Text, nullable=False),
    Column("subject_id", Uuid, nullable=False),
    UniqueConstraint("kind", "subject_id"),
    one_of("kind", NumberKind),
    sqlite_autoincrement=True,
)

# An index alone counts what is unread; lists of what is archived are in its order.
ARCHIVED_UNREAD: Final = ("library_id", "is_listed", "is_archived", "created_at", "item_id", "is_unread")

# Each item of a default library, with what its owner's apps filter, sort and synchronise by. Triggers keep it
# (storage/migrations/sync_triggers.py): `changed_at` is when anything that an app shows of it changed last.
synced_items = Table(
    "synced_items",
    metadata,
    Column("item_id", Uuid, cascade("items.id"), primary_key=True),
    Column("library_id", Uuid, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("is_archived", Boolean, nullable=False),
    Column("is_favourite", Boolean, nullable=False),
    Column("is_unread", Boolean, nullable=False),
    Column("archived_at", Instant),
    Column("favourite_at", Instant),
    # the copy of a page in the library that lists show
    Column("is_listed", Boolean, nullable=False),
    # whether `url_hashes` has the hashes of its URLs as they are now
    Column("is_hashed", Boolean, nullable=False),
    Index("ix_synced_items_created", "library_id", "is_listed", "created_at", "item_id"),
    Index("ix_synced_items_changed", "library_id", "is_listed", "changed_at", "item_id"),
    Index("ix_synced_items_archived_unread", *ARCHIVED_UNREAD),
    Index("ix_synced_items_favourite", "library_id", "is_listed", "is_favourite", "created_at", "item_id"),
    partial_index("ix_synced_items_unhashed", "library_id", where=NOT_HASHED),
)

# SHA-1 of an item's URLs, as they stand and with their escapes undone: some apps ask by these alone.
url_hashes = Table(
    "url_hashes",
    metadata,
    Column("item_id", Uuid, cascade("items.id"), primary_key=True),
    Column("hash", Text, primary_key=True),
    Column("library_id", Uuid, nullable=False),
    # the hash first: PostgreSQL without statistics would go through a whole library
    Index("ix_url_hashes_hash_library_id", "hash", "library_id"),
)

# Short-lived secrets that an app got for an API token, and that end with it.
app_tokens = Table(
    "app_tokens",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("api_token_id", Uuid, cascade("api_tokens.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
    one_of("kind", VALID_FOR),
    Index("ix_app_tokens_api_token_id_kind_created_at", "api_token_id", "kind", "created_at"),
)

# --- work -------------------------------------------------------------------------------------------------------

jobs = Table(
    "jobs",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject_id", Uuid, nullable=False),
    Column("queue", Text, nullable=False),
    Column("host", Text),
    Column("priority", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("run_at", Instant, nullable=False),
    Column("lease_until", Instant),
    Column("lease_token", Uuid),
    Column("published_at", Instant),
    Column("actor_user_id", Uuid, ForeignKey("users.id", ondelete="SET NULL")),
    Column("request_id", Text),
    Column("enqueued_at", Instant, nullable=False),
    # behind another job of its kind for its host: it cannot be claimed yet (storage/queue/host_queues.py)
    Column("is_queued_behind", Boolean, nullable=False, server_default=false()),
    # how often it was asked for: a job asked for again while it runs must run again
    Column("wanted", Integer, nullable=False, server_default="1"),
    # of a render job that took over an ingestion: why the worker's own attempt failed
    Column("first_failure", Json),
    UniqueConstraint("kind", "subject_id"),
    # what to claim, and when
    partial_index("ix_jobs_claim", "queue", "priority", "run_at", where=CLAIMABLE),
    # the queue of a host: its first job, and those behind it
    partial_index("ix_jobs_first", "host", "kind", where=CLAIMABLE),
    partial_index("ix_jobs_queued_behind", "host", "kind", "priority", "run_at", where=QUEUED_BEHIND),
    # what runs now: a few rows, however long the queue
    partial_index("ix_jobs_leased", "host", "lease_until", where="lease_until IS NOT NULL"),
)

hosts = Table(
    "hosts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("next_at", Instant, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Counter, primary_key=True, autoincrement=True),
    Column("library_id", Uuid, cascade("libraries.id")),
    Column("user_id", Uuid, cascade("users.id")),
    Column("kind", Text, nullable=False),
    Column("subject_id", Uuid, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
    CheckConstraint("(library_id IS NULL) <> (user_id IS NULL)", name="one_audience"),
    sqlite_autoincrement=True,
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("user_id", Uuid, cascade("users.id"), primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_hash", Text, nullable=False),
    Column("status", Integer),
    Column("answer", Json),
    Column("created_at", Instant, nullable=False, index=True),
)

imports = Table(
    "imports",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("user_id", Uuid, cascade("users.id"), nullable=False, index=True),
    Column("library_id", Uuid, cascade("libraries.id"), nullable=False),
    Column("format", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("blob_key", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("rows_total", Integer),
    Column("options", Json, nullable=False, server_default="{}"),
    # what was found when the file was first read through
    Column("report", Json),
    Column("problem", Text),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

import_rows = Table(
    "import_rows",
    metadata,
    Column("import_id", Uuid, cascade("imports.id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("url", Text),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("item_id", Uuid, ForeignKey("items.id", ondelete="SET NULL"), index=True),
)
