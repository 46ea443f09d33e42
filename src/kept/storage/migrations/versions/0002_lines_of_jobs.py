"""Lines of jobs: those behind the first of their host wait outside the index that claims look at.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("waits", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("jobs", sa.Column("wanted", sa.Integer(), nullable=False, server_default="1"))
    op.drop_index("ix_jobs_queue_priority_run_at", "jobs")
    op.drop_index("ix_jobs_host_lease_until", "jobs")
    create_index("claim", ["queue", "priority", "run_at"], "waits = 0", "NOT waits")
    create_index("next", ["queue", "run_at"], "waits = 0", "NOT waits")
    create_index("head", ["host", "kind"], "waits = 0", "NOT waits")
    create_index("line", ["host", "kind", "priority", "run_at"], "waits = 1", "waits")
    create_index("leased", ["host", "lease_until"], "lease_until IS NOT NULL", "lease_until IS NOT NULL")


def create_index(name: str, columns: list[str], sqlite_where: str, postgresql_where: str) -> None:
    where = {"sqlite_where": sa.text(sqlite_where), "postgresql_where": sa.text(postgresql_where)}
    op.create_index(f"ix_jobs_{name}", "jobs", columns, **where)  # type: ignore[arg-type]
