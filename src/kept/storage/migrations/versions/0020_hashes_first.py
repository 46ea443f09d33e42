"""Hashes of URLs are found by the hash, then by the library.

The other way round PostgreSQL, while it has no statistics, took a library for a few rows and went through all of it.

Revision ID: 0020
Revises: 0019
"""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_url_hashes_library_id_hash", "url_hashes")
    op.create_index("ix_url_hashes_hash_library_id", "url_hashes", ["hash", "library_id"])
