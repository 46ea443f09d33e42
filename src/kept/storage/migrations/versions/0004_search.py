"""Search: an index of words, in FTS5 on SQLite and in vectors on PostgreSQL.

It begins empty; a worker fills it with what is there already (services/reindex.py), or `kept reindex` does at once.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

from kept.storage.tables import Counter

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# As they were when this was written; later changes come with later migrations.
INDEXES = {
    "item_words": ("search_items", "title, note, url, site"),
    "card_words": ("search_media", "title, about"),
    "page_words": ("search_media", "card, text"),
}
# Words come folded and taken apart: `ascii` leaves all that is not ASCII together and alone. The text itself stays in
# `fragments`. Deleting by row number needs SQLite 3.43.
SQLITE = """
CREATE VIRTUAL TABLE {name} USING fts5(
  {fields}, content='', contentless_delete=1, tokenize="ascii tokenchars '.:-_'"
)
"""
POSTGRESQL = """
CREATE TABLE {name} (
  no bigint NOT NULL CONSTRAINT pk_{name} PRIMARY KEY
    CONSTRAINT fk_{name}_no REFERENCES {numbers} (no) ON DELETE CASCADE,
  words tsvector NOT NULL
)
"""
# Without `fastupdate`: a list of what is yet to be indexed would be gone through by every search.
POSTGRESQL_INDEX = "CREATE INDEX ix_{name}_words ON {name} USING gin (words) WITH (fastupdate = off)"


def upgrade() -> None:
    create_numbers("items", "item_id")
    create_numbers("media", "media_id")
    is_sqlite = op.get_context().dialect.name == "sqlite"
    for name, (numbers, fields) in INDEXES.items():
        for statement in (SQLITE,) if is_sqlite else (POSTGRESQL, POSTGRESQL_INDEX):
            op.execute(sa.text(statement.format(name=name, numbers=numbers, fields=fields)))


def create_numbers(of: str, column: str) -> None:
    op.create_table(
        f"search_{of}",
        sa.Column("no", Counter, nullable=False, autoincrement=True),
        sa.Column(column, sa.Uuid(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint([column], [f"{of}.id"], name=f"fk_search_{of}_{column}", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("no", name=f"pk_search_{of}"),
        sa.UniqueConstraint(column, name=f"uq_search_{of}_{column}"),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_search_{of}_version", f"search_{of}", ["version"])
