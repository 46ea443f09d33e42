"""A render job knows why the ingestion before it failed; a media knows why its preview image could not be stored.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.database.columns import Json

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("media", sa.Column("preview_error", sa.Text()))
    op.add_column("jobs", sa.Column("first_failure", Json))
