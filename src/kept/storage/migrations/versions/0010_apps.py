"""What other programs' apps ask: numbers, items as they synchronise them, hashes of URLs, short-lived tokens.

Revision ID: 0010
Revises: 0009
"""

import hashlib
from urllib.parse import unquote_plus

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# As SQLAlchemy spells it: SQLite uses a partial index only where a query says the very same words.
NOT_HASHED = {"sqlite": sa.text("is_hashed = 0"), "postgresql": sa.text("NOT is_hashed")}
HASHED_AT_ONCE = 5_000
NUMBER = {
    "item": "INSERT INTO numbers (kind, subject_id) SELECT 'item', id FROM items ORDER BY created_at, id",
    "tag": "INSERT INTO numbers (kind, subject_id) SELECT 'tag', id FROM tags ORDER BY name, id",
    "highlight": "INSERT INTO numbers (kind, subject_id) SELECT 'highlight', id FROM highlights ORDER BY created_at, id",
}
BESIDE = "EXISTS (SELECT 1 FROM items beside WHERE beside.library_id = items.library_id AND beside.media_id = other.id)"
# Nobody knows when something was archived before: the state's last change stands for it.
FILL = f"""
INSERT INTO synced_items (item_id, library_id, created_at, changed_at, is_archived, is_favourite, is_unread,
  archived_at, favourite_at, is_listed, is_hashed)
SELECT items.id, items.library_id, items.created_at,
  {{latest}}(items.updated_at, media.updated_at, COALESCE(state.updated_at, items.updated_at)),
  COALESCE(state.is_archived, false), COALESCE(state.is_favourite, false), state.read_at IS NULL,
  CASE WHEN state.is_archived THEN state.updated_at END, CASE WHEN state.is_favourite THEN state.updated_at END,
  (media.superseded_by IS NULL OR NOT EXISTS (SELECT 1 FROM media other WHERE other.id = media.superseded_by
    AND other.processing_status = 'ready_for_reading' AND {BESIDE}))
  AND (media.processing_status = 'ready_for_reading' OR NOT EXISTS (SELECT 1 FROM media other
    WHERE other.superseded_by = media.id AND {BESIDE})),
  false
FROM items
JOIN libraries ON libraries.id = items.library_id AND libraries.is_default
JOIN media ON media.id = items.media_id
LEFT JOIN reading_states state ON state.media_id = items.media_id AND state.user_id = libraries.owner_id
"""  # noqa: S608


def upgrade() -> None:
    create_numbers()
    create_synced_items()
    create_url_hashes()
    create_app_tokens()
    connection = op.get_bind()
    for statement in NUMBER.values():
        connection.exec_driver_sql(statement)
    latest = "max" if op.get_context().dialect.name == "sqlite" else "greatest"
    connection.exec_driver_sql(FILL.format(latest=latest))
    hash_urls(connection)


def create_numbers() -> None:
    op.create_table(
        "numbers",
        sa.Column("no", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject_id", sa.Uuid(), nullable=False),
        sa.CheckConstraint("kind IN ('item', 'tag', 'highlight')", name="known_kind"),
        sa.PrimaryKeyConstraint("no", name="pk_numbers"),
        sa.UniqueConstraint("kind", "subject_id", name="uq_numbers_kind_subject_id"),
        sqlite_autoincrement=True,
    )


def create_synced_items() -> None:
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
    for name, columns in {
        "created": ["created_at"],
        "changed": ["changed_at"],
        "archived": ["is_archived", "created_at"],
        "favourite": ["is_favourite", "created_at"],
    }.items():
        op.create_index(f"ix_synced_items_{name}", "synced_items", ["library_id", "is_listed", *columns, "item_id"])
    op.create_index(
        "ix_synced_items_unhashed",
        "synced_items",
        ["library_id"],
        sqlite_where=NOT_HASHED["sqlite"],
        postgresql_where=NOT_HASHED["postgresql"],
    )


def create_url_hashes() -> None:
    op.create_table(
        "url_hashes",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_url_hashes_item_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("item_id", "hash", name="pk_url_hashes"),
    )
    op.create_index("ix_url_hashes_library_id_hash", "url_hashes", ["library_id", "hash"])


def create_app_tokens() -> None:
    op.create_table(
        "app_tokens",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("api_token_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.CheckConstraint("kind IN ('access', 'refresh')", name="known_kind"),
        sa.ForeignKeyConstraint(
            ["api_token_id"], ["api_tokens.id"], name="fk_app_tokens_api_token_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name="pk_app_tokens"),
    )
    op.create_index("ix_app_tokens_expires_at", "app_tokens", ["expires_at"])
    columns = ["api_token_id", "kind", "created_at"]
    op.create_index("ix_app_tokens_api_token_id_kind_created_at", "app_tokens", columns)


def hash_urls(connection: sa.Connection) -> None:
    """In batches: neither database has SHA-1 among its own functions."""
    listed = sa.text(
        "SELECT items.id, items.library_id, items.url, media.canonical_url FROM synced_items "
        "JOIN items ON items.id = synced_items.item_id JOIN media ON media.id = items.media_id "
        "WHERE items.id > :after ORDER BY items.id LIMIT :most"
    ).columns(
        sa.Column("id", sa.Uuid()),
        sa.Column("library_id", sa.Uuid()),
        sa.Column("url", sa.Text()),
        sa.Column("canonical_url", sa.Text()),
    )
    listed = listed.bindparams(sa.bindparam("after", type_=sa.Uuid()))
    keys = (sa.Column("item_id", sa.Uuid()), sa.Column("library_id", sa.Uuid()), sa.Column("hash", sa.Text()))
    insert = sa.table("url_hashes", *keys).insert()
    after = sa.Uuid().python_type(int=0)
    while rows := connection.execute(listed, {"after": after, "most": HASHED_AT_ONCE}).all():
        hashes = [
            {"item_id": row.id, "library_id": row.library_id, "hash": one}
            for row in rows
            for one in hash_each(row.url, row.canonical_url)
        ]
        connection.execute(insert, hashes)
        after = rows[-1].id
    connection.exec_driver_sql("UPDATE synced_items SET is_hashed = true")


def hash_each(*urls: str | None) -> set[str]:
    texts = {text for url in urls if url for text in (url, unquote_plus(url))}
    return {hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest() for text in texts}
