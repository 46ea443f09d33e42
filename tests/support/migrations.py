"""The schema of a next version: a copy of the migrations with one more, which a test writes itself."""

import shutil
from pathlib import Path

import pytest

from kept.storage.migrations import schema

NEXT = "9000"
MIGRATION = """
import os
import signal

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "{next}", "{last}", None, None


def upgrade():
    {statements}
"""


def write_next_version(folder: Path, *statements: str) -> Path:
    """The folder of migrations of a version whose last one does this."""
    migrations = folder / "migrations"
    shutil.copytree(schema.MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    last, body = schema.find_last_revision(), "\n    ".join(statements)
    (migrations / "versions" / f"{NEXT}_next.py").write_text(MIGRATION.format(next=NEXT, last=last, statements=body))
    return migrations


def become_next_version(monkeypatch: pytest.MonkeyPatch, folder: Path, *statements: str) -> None:
    """From here on, to this process a database is current if it has seen one more migration."""
    monkeypatch.setattr(schema, "MIGRATIONS", write_next_version(folder, *statements))
