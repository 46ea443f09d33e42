"""The first schema.

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


def upgrade() -> None:
    op.create_table(
        "hosts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("next_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_hosts"),
    )
    op.create_table(
        "media",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source_url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.Column("byline", sa.Text(), nullable=True),
        sa.Column("site_name", sa.Text(), nullable=True),
        sa.Column("lang", sa.Text(), nullable=True),
        sa.Column("published_at", Instant(), nullable=True),
        sa.Column("preview_image_url", sa.Text(), nullable=True),
        sa.Column("thumbnail_key", sa.Text(), nullable=True),
        sa.Column("favicon_url", sa.Text(), nullable=True),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("enrichment_status", sa.Text(), nullable=False),
        sa.Column("enrichment_error", sa.Text(), nullable=True),
        sa.Column("enriched_at", Instant(), nullable=True),
        sa.Column("processing_status", sa.Text(), nullable=False),
        sa.Column("failure_code", sa.Text(), nullable=True),
        sa.Column("failure_message", sa.Text(), nullable=True),
        sa.Column("failure_stage", sa.Text(), nullable=True),
        sa.Column("failure_details", Json, nullable=True),
        sa.Column("processing_attempts", sa.Integer(), nullable=False),
        sa.Column("processing_started_at", Instant(), nullable=True),
        sa.Column("processing_completed_at", Instant(), nullable=True),
        sa.Column("failed_at", Instant(), nullable=True),
        sa.Column("fetched_at", Instant(), nullable=True),
        sa.Column("word_count", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("superseded_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.CheckConstraint(
            "enrichment_status IN ('pending', 'succeeded', 'failed')", name="ck_media_known_enrichment_status"
        ),
        sa.CheckConstraint(
            "failure_stage IN ('validate', 'fetch', 'render', 'extract', 'sanitize', 'store')",
            name="ck_media_known_failure_stage",
        ),
        sa.CheckConstraint("kind IN ('web_article')", name="ck_media_known_kind"),
        sa.CheckConstraint(
            "processing_status IN ('pending', 'extracting', 'ready_for_reading', 'failed', 'blocked', 'invalid_url')",
            name="ck_media_known_processing_status",
        ),
        sa.ForeignKeyConstraint(["superseded_by"], ["media.id"], name="fk_media_superseded_by", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_media"),
        sa.UniqueConstraint("kind", "canonical_url", name="uq_media_kind_canonical_url"),
    )
    op.create_index("ix_media_processing_status", "media", ["processing_status"])
    op.create_index("ix_media_superseded_by", "media", ["superseded_by"])

    op.create_table(
        "setup_links",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("used_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("token_hash", name="pk_setup_links"),
    )
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
        "api_tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("last_used_at", Instant(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_api_tokens_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_api_tokens_token_hash"),
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])

    op.create_table(
        "fragments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("html_sanitized", sa.Text(), nullable=False),
        sa.Column("canonical_text", sa.Text(), nullable=False),
        sa.Column("canonical_version", sa.Integer(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("ordinal = 0", name="ck_fragments_only_one"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_fragments_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_fragments"),
        sa.UniqueConstraint("media_id", "ordinal", name="uq_fragments_media_id_ordinal"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", Json, nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_idempotency_keys_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])

    op.create_table(
        "image_assets",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("origin_url", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_image_assets_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_image_assets"),
    )
    op.create_index("ix_image_assets_media_id", "image_assets", ["media_id"])

    op.create_table(
        "jobs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run_at", Instant(), nullable=False),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("lease_token", sa.Uuid(), nullable=True),
        sa.Column("published_at", Instant(), nullable=True),
        sa.Column("actor_user_id", sa.Uuid(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("enqueued_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["actor_user_id"], ["users.id"], name="fk_jobs_actor_user_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("kind", "subject_id", name="uq_jobs_kind_subject_id"),
    )
    op.create_index("ix_jobs_host_lease_until", "jobs", ["host", "lease_until"])
    op.create_index("ix_jobs_queue_priority_run_at", "jobs", ["queue", "priority", "run_at"])

    op.create_table(
        "libraries",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name="fk_libraries_owner_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_libraries"),
    )
    op.create_index("ix_libraries_owner_id", "libraries", ["owner_id"])
    op.create_index(
        "uq_libraries_default_owner_id",
        "libraries",
        ["owner_id"],
        unique=True,
        sqlite_where=sa.text("is_default"),
        postgresql_where=sa.text("is_default"),
    )

    op.create_table(
        "merged_ids",
        sa.Column("old_id", sa.Uuid(), nullable=False),
        sa.Column("new_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["new_id"], ["media.id"], name="fk_merged_ids_new_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("old_id", name="pk_merged_ids"),
    )
    op.create_index("ix_merged_ids_new_id", "merged_ids", ["new_id"])

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
        "preferences",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("values", Json, nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_preferences_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_preferences"),
    )
    op.create_table(
        "reading_states",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("is_favourite", sa.Boolean(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("read_at", Instant(), nullable=True),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.CheckConstraint("progress >= 0 AND progress <= 1", name="ck_reading_states_progress_is_a_share"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_reading_states_media_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_reading_states_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "media_id", name="pk_reading_states"),
    )
    op.create_index("ix_reading_states_media_id", "reading_states", ["media_id"])

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
        "transitions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("sort_key", sa.Integer(), nullable=False),
        sa.Column("lifecycle", sa.Text(), nullable=False),
        sa.Column("from_state", sa.Text(), nullable=True),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("lifecycle IN ('processing', 'enrichment')", name="ck_transitions_known_lifecycle"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_transitions_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_transitions"),
        sa.UniqueConstraint("media_id", "sort_key", name="uq_transitions_media_id_sort_key"),
    )
    op.create_index("ix_transitions_to_state", "transitions", ["to_state"])

    op.create_table(
        "url_aliases",
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_url_aliases_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("url", name="pk_url_aliases"),
    )
    op.create_index("ix_url_aliases_media_id", "url_aliases", ["media_id"])

    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("(library_id IS NULL) <> (user_id IS NULL)", name="ck_events_one_audience"),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_events_library_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_events_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_created_at", "events", ["created_at"])

    op.create_table(
        "imports",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("rows_total", sa.Integer(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_imports_library_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_imports_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
    )
    op.create_index("ix_imports_user_id", "imports", ["user_id"])

    op.create_table(
        "items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("media_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("added_by", sa.Uuid(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("updated_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["added_by"], ["users.id"], name="fk_items_added_by", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["library_id"], ["libraries.id"], name="fk_items_library_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["media_id"], ["media.id"], name="fk_items_media_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint("library_id", "media_id", name="uq_items_library_id_media_id"),
    )
    op.create_index("ix_items_added_by", "items", ["added_by"])
    op.create_index("ix_items_library_id_created_at_id", "items", ["library_id", "created_at", "id"])
    op.create_index("ix_items_media_id", "items", ["media_id"])

    op.create_table(
        "library_members",
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.CheckConstraint("role IN ('admin', 'member')", name="ck_library_members_known_role"),
        sa.ForeignKeyConstraint(
            ["library_id"], ["libraries.id"], name="fk_library_members_library_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_library_members_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("library_id", "user_id", name="pk_library_members"),
    )
    op.create_index("ix_library_members_user_id", "library_members", ["user_id"])

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
        "import_rows",
        sa.Column("import_id", sa.Uuid(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("item_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"], name="fk_import_rows_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_import_rows_item_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("import_id", "ordinal", name="pk_import_rows"),
    )
    op.create_index("ix_import_rows_item_id", "import_rows", ["item_id"])

    op.create_table(
        "item_tags",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("tag_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_item_tags_item_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["tag_id"], ["tags.id"], name="fk_item_tags_tag_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", "tag_id", name="pk_item_tags"),
    )
    op.create_index("ix_item_tags_tag_id", "item_tags", ["tag_id"])
