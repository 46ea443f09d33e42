"""The schema of Kept 0.1.

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant, Json

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite only counts up by itself in a column spelt INTEGER.
Counter = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# The indexes of words: which table has their numbers, the fields, and FTS5's options. Texts of articles have no index of
# the first letters of words, for there beginnings have four letters and more.
BEGINNINGS = "prefix='1 2 3', "
WORDS = {
    "item_words": ("search_items", "title, note, url, site", BEGINNINGS),
    "card_words": ("search_media", "title, about", BEGINNINGS),
    "page_words": ("search_media", "card, text", ""),
    "highlight_words": ("search_highlights", "quote, note", BEGINNINGS),
}
# Words come folded and taken apart: `ascii` leaves all that is not ASCII together and alone. The text itself stays in
# `fragments`. Deleting by row number needs SQLite 3.43.
SQLITE_WORDS = """
CREATE VIRTUAL TABLE {name} USING fts5(
  {fields}, content='', contentless_delete=1, {options}tokenize="ascii tokenchars '.:-_'"
)
"""
POSTGRESQL_WORDS = """
CREATE TABLE {name} (
  no bigint NOT NULL CONSTRAINT pk_{name} PRIMARY KEY
    CONSTRAINT fk_{name}_no REFERENCES {numbers} (no) ON DELETE CASCADE,
  words tsvector NOT NULL
)
"""
# Without `fastupdate`: a list of what is yet to be indexed would be gone through by every search.
POSTGRESQL_INDEX = "CREATE INDEX ix_{name}_words ON {name} USING gin (words) WITH (fastupdate = off)"


def upgrade() -> None:
    create_accounts()
    create_libraries()
    create_media()
    create_items()
    create_search()
    create_words()
    create_app_tables()
    create_work()


def create_words() -> None:
    """Create the tables for the words that search finds, of each database's own kind."""
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for name, (numbers, fields, options) in WORDS.items():
        for statement in (SQLITE_WORDS,) if is_sqlite else (POSTGRESQL_WORDS, POSTGRESQL_INDEX):
            written = statement.format(name=name, numbers=numbers, fields=fields, options=options)
            op.get_bind().exec_driver_sql(written)


def create_partial_index(
    name: str, table: str, columns: list[str], where: str, postgresql_where: str | None = None, *, unique: bool = False
) -> None:
    """Create an index of the rows that meet the condition, which PostgreSQL may spell differently."""
    op.create_index(
        name,
        table,
        columns,
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(postgresql_where or where),
    )


def create_accounts() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )

    op.create_table(
        "sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_seen_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])

    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant()),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_tokens_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_api_tokens_token_hash"),
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])

    op.create_table(
        "connect_codes",
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("challenge", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_connect_codes_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("code_hash", name="pk_connect_codes"),
    )
    op.create_index("ix_connect_codes_user_id", "connect_codes", ["user_id"])
    op.create_index("ix_connect_codes_expires_at", "connect_codes", ["expires_at"])

    op.create_table(
        "setup_links",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("used_at", Instant()),
        sa.PrimaryKeyConstraint("token_hash", name="pk_setup_links"),
    )

    op.create_table(
        "image_link_keys",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_image_link_keys_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_image_link_keys"),
    )

    op.create_table(
        "oauth_clients",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_clients"),
    )
    op.create_index("ix_oauth_clients_created_at", "oauth_clients", ["created_at"])

    op.create_table(
        "oauth_grants",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("user_code", sa.Text()),
        sa.Column("code_challenge", sa.Text()),
        sa.Column("redirect_uri", sa.Text()),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("polled_at", Instant()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.CheckConstraint("state IN ('pending', 'approved', 'denied')", name=op.f("ck_oauth_grants_known_state")),
        sa.ForeignKeyConstraint(
            ["client_id"], ["oauth_clients.id"], name="fk_oauth_grants_client_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_oauth_grants_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_grants"),
        sa.UniqueConstraint("code_hash", name="uq_oauth_grants_code_hash"),
        sa.UniqueConstraint("user_code", name="uq_oauth_grants_user_code"),
    )
    op.create_index("ix_oauth_grants_client_id", "oauth_grants", ["client_id"])
    op.create_index("ix_oauth_grants_user_id", "oauth_grants", ["user_id"])
    op.create_index("ix_oauth_grants_expires_at", "oauth_grants", ["expires_at"])

    op.create_table(
        "preferences",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("values", Json, nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_preferences_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_preferences"),
    )


def create_libraries() -> None:
    op.create_table(
        "libraries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("captures_pages", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_libraries_owner_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_libraries"),
    )
    create_partial_index("uq_libraries_default_owner_id", "libraries", ["owner_id"], "is_default", unique=True)
    op.create_index("ix_libraries_owner_id", "libraries", ["owner_id"])

    op.create_table(
        "library_members",
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("role IN ('admin', 'member')", name=op.f("ck_library_members_known_role")),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_library_members_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_library_members_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("library_id", "user_id", name="pk_library_members"),
    )
    op.create_index("ix_library_members_user_id", "library_members", ["user_id"])


def create_media() -> None:
    op.create_table(
        "media",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text()),
        sa.Column("title", sa.Text()),
        sa.Column("excerpt", sa.Text()),
        sa.Column("byline", sa.Text()),
        sa.Column("site_name", sa.Text()),
        sa.Column("lang", sa.Text()),
        sa.Column("published_at", Instant()),
        sa.Column("preview_image_url", sa.Text()),
        sa.Column("thumbnail_key", sa.Text()),
        sa.Column("preview_error", sa.Text()),
        sa.Column("favicon_url", sa.Text()),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("enrichment_status", sa.Text(), nullable=False),
        sa.Column("enrichment_error", sa.Text()),
        sa.Column("enriched_at", Instant()),
        sa.Column("processing_status", sa.Text(), nullable=False),
        sa.Column("failure_code", sa.Text()),
        sa.Column("failure_message", sa.Text()),
        sa.Column("failure_stage", sa.Text()),
        sa.Column("failure_details", Json),
        sa.Column("processing_attempts", sa.Integer(), nullable=False),
        sa.Column("processing_started_at", Instant()),
        sa.Column("processing_completed_at", Instant()),
        sa.Column("failed_at", Instant()),
        sa.Column("fetched_at", Instant()),
        sa.Column("word_count", sa.Integer()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("superseded_by", sa.Uuid()),
        sa.Column("is_private", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.Column("accepts_documents", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.CheckConstraint("kind IN ('web_article', 'pdf', 'epub', 'text', 'image')", name=op.f("ck_media_known_kind")),
        sa.CheckConstraint(
            "processing_status IN ('pending', 'extracting', 'ready_for_reading', 'failed', 'blocked', 'invalid_url', 'card_only')",
            name=op.f("ck_media_known_processing_status"),
        ),
        sa.CheckConstraint(
            "enrichment_status IN ('pending', 'succeeded', 'failed')", name=op.f("ck_media_known_enrichment_status")
        ),
        sa.CheckConstraint(
            "failure_stage IN ('validate', 'fetch', 'render', 'extract', 'sanitize', 'store')",
            name=op.f("ck_media_known_failure_stage"),
        ),
        sa.ForeignKeyConstraint(["superseded_by"], ["media.id"], name="fk_media_superseded_by", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_media"),
        sa.UniqueConstraint("kind", "canonical_url", name="uq_media_kind_canonical_url"),
    )
    op.create_index("ix_media_processing_status", "media", ["processing_status"])
    op.create_index("ix_media_superseded_by", "media", ["superseded_by"])

    op.create_table(
        "url_aliases",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_url_aliases_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("url", name="pk_url_aliases"),
    )
    op.create_index("ix_url_aliases_media_id", "url_aliases", ["media_id"])

    op.create_table(
        "private_pages",
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_private_pages_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_private_pages_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("library_id", "url", name="pk_private_pages"),
    )
    op.create_index("ix_private_pages_media_id", "private_pages", ["media_id"])

    op.create_table(
        "merged_ids",
        sa.Column("old_id", sa.Uuid(), nullable=False),
        sa.Column("new_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["new_id"], ["media.id"], name="fk_merged_ids_new_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("old_id", name="pk_merged_ids"),
    )
    op.create_index("ix_merged_ids_new_id", "merged_ids", ["new_id"])

    op.create_table(
        "fragments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("html_sanitized", sa.Text(), nullable=False),
        sa.Column("canonical_text", sa.Text(), nullable=False),
        sa.Column("canonical_version", sa.Integer(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("ordinal = 0", name=op.f("ck_fragments_only_one")),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_fragments_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_fragments"),
        sa.UniqueConstraint("media_id", "ordinal", name="uq_fragments_media_id_ordinal"),
    )

    op.create_table(
        "transitions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("sort_key", sa.Integer(), nullable=False),
        sa.Column("lifecycle", sa.Text(), nullable=False),
        sa.Column("from_state", sa.Text()),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("lifecycle IN ('processing', 'enrichment')", name=op.f("ck_transitions_known_lifecycle")),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_transitions_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_transitions"),
        sa.UniqueConstraint("media_id", "sort_key", name="uq_transitions_media_id_sort_key"),
    )
    op.create_index("ix_transitions_to_state", "transitions", ["to_state"])

    op.create_table(
        "page_snapshots",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=False),
        sa.Column("headers", Json, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_page_snapshots_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_page_snapshots"),
    )
    op.create_index("ix_page_snapshots_fetched_at", "page_snapshots", ["fetched_at"])

    op.create_table(
        "image_assets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("origin_url", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text()),
        sa.Column("content_type", sa.Text()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_image_assets_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_image_assets"),
    )
    op.create_index("ix_image_assets_media_id", "image_assets", ["media_id"])

    op.create_table(
        "page_captures",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text()),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "format IN ('upload', 'document', 'mhtml', 'html', 'png', 'pdf')",
            name=op.f("ck_page_captures_known_format"),
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_page_captures_media_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_page_captures_user_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("media_id", "format", name="pk_page_captures"),
    )
    op.create_index("ix_page_captures_digest", "page_captures", ["digest"])
    op.create_index("ix_page_captures_user_id", "page_captures", ["user_id"])

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
        sa.CheckConstraint(
            "type IN ('pdf', 'epub', 'text', 'markdown', 'image')", name=op.f("ck_documents_known_type")
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_documents_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_documents"),
    )


def create_items() -> None:
    op.create_table(
        "capture_failures",
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("failed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_capture_failures_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("media_id", name="pk_capture_failures"),
    )

    op.create_table(
        "items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Uuid()),
        sa.Column("title", sa.Text()),
        sa.Column("excerpt", sa.Text()),
        sa.Column("note", sa.Text()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_items_library_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_items_media_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["added_by"], ["users.id"], name="fk_items_added_by", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint("library_id", "media_id", name="uq_items_library_id_media_id"),
    )
    op.create_index("ix_items_library_id_created_at_id", "items", ["library_id", "created_at", "id"])
    op.create_index("ix_items_media_id", "items", ["media_id"])
    op.create_index("ix_items_added_by", "items", ["added_by"])

    op.create_table(
        "earlier_copies",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("shown_item_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_earlier_copies_item_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["shown_item_id"], ["items.id"], name="fk_earlier_copies_shown_item_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("item_id", name="pk_earlier_copies"),
    )
    op.create_index("ix_earlier_copies_shown_item_id", "earlier_copies", ["shown_item_id"])

    op.create_table(
        "tags",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_tags_library_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tags"),
        sa.UniqueConstraint("library_id", "name", name="uq_tags_library_id_name"),
    )

    op.create_table(
        "item_tags",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("tag_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_item_tags_item_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["tag_id"], ["tags.id"], name="fk_item_tags_tag_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", "tag_id", name="pk_item_tags"),
    )
    op.create_index("ix_item_tags_tag_id_item_id", "item_tags", ["tag_id", "item_id"])

    op.create_table(
        "reading_states",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("is_favourite", sa.Boolean(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("read_at", Instant()),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.CheckConstraint("progress >= 0 AND progress <= 1", name=op.f("ck_reading_states_progress_is_a_share")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_reading_states_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_reading_states_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "media_id", name="pk_reading_states"),
    )
    create_partial_index(
        "ix_reading_states_started", "reading_states", ["user_id", "media_id"], "progress > 0 AND read_at IS NULL"
    )
    op.create_index("ix_reading_states_media_id", "reading_states", ["media_id"])

    op.create_table(
        "former_texts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("canonical_text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_former_texts"),
    )

    op.create_table(
        "highlights",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("start_offset", sa.Integer()),
        sa.Column("end_offset", sa.Integer()),
        sa.Column("hint", sa.Integer()),
        sa.Column("former_end", sa.Integer()),
        sa.Column("former_text_id", sa.Uuid()),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("suffix", sa.Text(), nullable=False),
        sa.Column("colour", sa.Text(), nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("anchored_version", sa.Integer()),
        sa.Column("removed_at", Instant()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.CheckConstraint("colour IN ('yellow', 'red', 'green', 'blue')", name=op.f("ck_highlights_known_colour")),
        sa.CheckConstraint("(start_offset IS NULL) = (end_offset IS NULL)", name=op.f("ck_highlights_whole_span")),
        sa.CheckConstraint("start_offset >= 0 AND start_offset < end_offset", name=op.f("ck_highlights_span_has_text")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_highlights_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_highlights_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_highlights"),
    )
    op.create_index(
        "ix_highlights_list", "highlights", ["user_id", "created_at", "id", "media_id", "colour", "removed_at"]
    )
    op.create_index(
        "ix_highlights_media_id_user_id_start_offset", "highlights", ["media_id", "user_id", "start_offset"]
    )
    create_partial_index("ix_highlights_former_text_id", "highlights", ["former_text_id"], "former_text_id IS NOT NULL")
    create_partial_index("ix_highlights_removed_at", "highlights", ["removed_at"], "removed_at IS NOT NULL")

    op.create_table(
        "removed_items",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("batch_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("removed_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_removed_items_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_removed_items_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_removed_items_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name="pk_removed_items"),
    )
    op.create_index("ix_removed_items_batch_id", "removed_items", ["batch_id"])
    op.create_index("ix_removed_items_user_id", "removed_items", ["user_id"])
    op.create_index("ix_removed_items_library_id", "removed_items", ["library_id"])
    op.create_index("ix_removed_items_media_id", "removed_items", ["media_id"])
    op.create_index("ix_removed_items_removed_at", "removed_items", ["removed_at"])

    op.create_table(
        "item_tombstones",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("removed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "library_id", name="pk_item_tombstones"),
    )
    op.create_index("ix_item_tombstones_library_id_removed_at", "item_tombstones", ["library_id", "removed_at"])
    op.create_index("ix_item_tombstones_removed_at", "item_tombstones", ["removed_at"])

    op.create_table(
        "undo_batches",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("changes", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_undo_batches_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_undo_batches"),
    )
    op.create_index("ix_undo_batches_user_id", "undo_batches", ["user_id"])
    op.create_index("ix_undo_batches_created_at", "undo_batches", ["created_at"])

    op.create_table(
        "merged_items",
        sa.Column("old_id", sa.Uuid(), nullable=False),
        sa.Column("new_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("old_id", name="pk_merged_items"),
    )
    op.create_index("ix_merged_items_new_id", "merged_items", ["new_id"])


def create_search() -> None:
    op.create_table(
        "search_items",
        sa.Column("no", Counter, nullable=False, autoincrement=True),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_search_items_item_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("no", name="pk_search_items"),
        sa.UniqueConstraint("item_id", name="uq_search_items_item_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_items_version", "search_items", ["version"])

    op.create_table(
        "search_media",
        sa.Column("no", Counter, nullable=False, autoincrement=True),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_search_media_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("no", name="pk_search_media"),
        sa.UniqueConstraint("media_id", name="uq_search_media_media_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_media_version", "search_media", ["version"])

    op.create_table(
        "search_highlights",
        sa.Column("no", Counter, nullable=False, autoincrement=True),
        sa.Column("highlight_id", sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["highlight_id"], ["highlights.id"], name="fk_search_highlights_highlight_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("no", name="pk_search_highlights"),
        sa.UniqueConstraint("highlight_id", name="uq_search_highlights_highlight_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_highlights_version", "search_highlights", ["version"])

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
    op.create_index(
        "ix_library_numbers_library_id_media_no_item_no", "library_numbers", ["library_id", "media_no", "item_no"]
    )


def create_app_tables() -> None:
    op.create_table(
        "numbers",
        sa.Column("no", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("kind IN ('item', 'tag', 'highlight')", name=op.f("ck_numbers_known_kind")),
        sa.PrimaryKeyConstraint("no", name="pk_numbers"),
        sa.UniqueConstraint("kind", "subject_id", name="uq_numbers_kind_subject_id"),
        sqlite_autoincrement=True,
    )

    op.create_table(
        "synced_items",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("changed_at", Instant(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("is_favourite", sa.Boolean(), nullable=False),
        sa.Column("is_unread", sa.Boolean(), nullable=False),
        sa.Column("archived_at", Instant()),
        sa.Column("favourite_at", Instant()),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("is_hashed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_synced_items_item_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", name="pk_synced_items"),
    )
    create_partial_index("ix_synced_items_unhashed", "synced_items", ["library_id"], "is_hashed = 0", "NOT is_hashed")
    op.create_index("ix_synced_items_created", "synced_items", ["library_id", "is_listed", "created_at", "item_id"])
    op.create_index("ix_synced_items_changed", "synced_items", ["library_id", "is_listed", "changed_at", "item_id"])
    op.create_index(
        "ix_synced_items_archived_unread",
        "synced_items",
        ["library_id", "is_listed", "is_archived", "created_at", "item_id", "is_unread"],
    )
    op.create_index(
        "ix_synced_items_favourite",
        "synced_items",
        ["library_id", "is_listed", "is_favourite", "created_at", "item_id"],
    )

    op.create_table(
        "url_hashes",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_url_hashes_item_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", "hash", name="pk_url_hashes"),
    )
    op.create_index("ix_url_hashes_hash_library_id", "url_hashes", ["hash", "library_id"])

    op.create_table(
        "app_tokens",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("api_token_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.CheckConstraint("kind IN ('access', 'refresh')", name=op.f("ck_app_tokens_known_kind")),
        sa.ForeignKeyConstraint(
            ["api_token_id"], ["api_tokens.id"], name="fk_app_tokens_api_token_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name="pk_app_tokens"),
    )
    op.create_index("ix_app_tokens_api_token_id_kind_created_at", "app_tokens", ["api_token_id", "kind", "created_at"])
    op.create_index("ix_app_tokens_expires_at", "app_tokens", ["expires_at"])


def create_work() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("host", sa.Text()),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run_at", Instant(), nullable=False),
        sa.Column("lease_until", Instant()),
        sa.Column("lease_token", sa.Uuid()),
        sa.Column("published_at", Instant()),
        sa.Column("actor_user_id", sa.Uuid()),
        sa.Column("request_id", sa.Text()),
        sa.Column("enqueued_at", Instant(), nullable=False),
        sa.Column("is_queued_behind", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("wanted", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("first_failure", Json),
        sa.ForeignKeyConstraint(["actor_user_id"], ["users.id"], name="fk_jobs_actor_user_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("kind", "subject_id", name="uq_jobs_kind_subject_id"),
    )
    create_partial_index(
        "ix_jobs_claim", "jobs", ["queue", "priority", "run_at"], "is_queued_behind = 0", "NOT is_queued_behind"
    )
    create_partial_index("ix_jobs_first", "jobs", ["host", "kind"], "is_queued_behind = 0", "NOT is_queued_behind")
    create_partial_index(
        "ix_jobs_queued_behind",
        "jobs",
        ["host", "kind", "priority", "run_at"],
        "is_queued_behind = 1",
        "is_queued_behind",
    )
    create_partial_index("ix_jobs_leased", "jobs", ["host", "lease_until"], "lease_until IS NOT NULL")

    op.create_table(
        "hosts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("next_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_hosts"),
    )

    op.create_table(
        "events",
        sa.Column("id", Counter, nullable=False, autoincrement=True),
        sa.Column("library_id", sa.Uuid()),
        sa.Column("user_id", sa.Uuid()),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("(library_id IS NULL) <> (user_id IS NULL)", name=op.f("ck_events_one_audience")),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_events_library_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_events_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_created_at", "events", ["created_at"])

    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("answer", Json),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_idempotency_keys_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])

    op.create_table(
        "imports",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("rows_total", sa.Integer()),
        sa.Column("options", Json, nullable=False, server_default="{}"),
        sa.Column("report", Json),
        sa.Column("problem", sa.Text()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_imports_user_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_imports_library_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
    )
    op.create_index("ix_imports_user_id", "imports", ["user_id"])

    op.create_table(
        "import_rows",
        sa.Column("import_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("item_id", sa.Uuid()),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"], name="fk_import_rows_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_import_rows_item_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("import_id", "ordinal", name="pk_import_rows"),
    )
    op.create_index("ix_import_rows_item_id", "import_rows", ["item_id"])
