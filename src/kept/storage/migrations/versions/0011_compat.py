"""For other programs' APIs: keys of image links, apps that ask for access, and what was removed from libraries.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Instant, Json

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "image_link_keys",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_image_link_keys_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name="pk_image_link_keys"),
    )
    create_oauth()
    op.create_table(
        "item_tombstones",
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("library_id", sa.Uuid(), nullable=False),
        sa.Column("removed_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("item_id", "library_id", name="pk_item_tombstones"),
    )
    op.create_index("ix_item_tombstones_removed_at", "item_tombstones", ["removed_at"])
    op.create_index("ix_item_tombstones_library_id_removed_at", "item_tombstones", ["library_id", "removed_at"])


def create_oauth() -> None:
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
        sa.CheckConstraint("state IN ('pending', 'approved', 'denied')", name="known_state"),
        sa.ForeignKeyConstraint(
            ["client_id"], ["oauth_clients.id"], name="fk_oauth_grants_client_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_oauth_grants_user_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_oauth_grants"),
        sa.UniqueConstraint("code_hash", name="uq_oauth_grants_code_hash"),
        sa.UniqueConstraint("user_code", name="uq_oauth_grants_user_code"),
    )
    for column in ("client_id", "user_id", "expires_at"):
        op.create_index(f"ix_oauth_grants_{column}", "oauth_grants", [column])
