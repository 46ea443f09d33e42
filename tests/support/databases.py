"""Fresh, migrated databases in milliseconds: copies of a template made once."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from kept.storage.migrations.schema import migrate

DATABASES = ("sqlite", "postgresql")
on_both_databases = pytest.mark.parametrize("saving_url", DATABASES, indirect=True)
"""For a test that uses `saving`: what it says should hold on PostgreSQL too, where rows, types and races are others."""


def make_sqlite_template(folder: Path) -> Path:
    path = folder / "template.db"
    migrate(f"sqlite:///{path}")
    for suffix in ("-wal", "-shm"):
        assert not path.with_name(path.name + suffix).exists(), "the template must be a single file"
    return path


def copy_sqlite(template: Path, folder: Path) -> str:
    path = folder / "kept.db"
    shutil.copy(template, path)
    return f"sqlite:///{path}"


def make_postgres_template(server: str) -> str:
    name = "kept_template"
    create_database(server, name)
    migrate(f"{server.replace('postgresql', 'postgresql+psycopg')}/{name}")
    return name


def create_database(server: str, name: str, template: str = "template0") -> None:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())


class PostgresDatabases:
    """Fresh databases again and again: a new one takes half a second to make, emptying a used one some 20 ms."""

    def __init__(self, server: str, template: str) -> None:
        self.server, self.template = server, template
        self.tables = set(list_tables(f"{server}/{template}"))
        self.empty: list[str] = []

    @contextmanager
    def borrow(self) -> Iterator[str]:
        url = self.empty.pop() if self.empty else copy_postgres(self.server, self.template)
        yield url
        with suppress(psycopg.Error):  # one that cannot be emptied is not used again
            self.wipe(url)
            if not has_grown(url):
                self.empty.append(url)

    def wipe(self, url: str) -> None:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"SELECT pg_terminate_backend(pid, 5000) {others}".encode())
            # Neither our triggers nor foreign keys are asked; whatever a test added goes.
            statements = ["SET session_replication_role = replica", "SET lock_timeout = '5s'"]
            for table in list_tables(url):
                statements.append(f"DELETE FROM {table}" if table in self.tables else f"DROP TABLE {table}")
            connection.execute("; ".join(statements).encode())


def has_grown(url: str) -> bool:
    """Whether PostgreSQL would plan by what was there: from statistics, or from the size of a table's file."""
    tables = "FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
    is_known = "EXISTS (SELECT FROM pg_stats WHERE schemaname = 'public')"
    query = f"SELECT max(pg_relation_size(oid)) > 200000 OR {is_known} {tables}"
    with psycopg.connect(url) as connection:
        row = connection.execute(query.encode()).fetchone()
    return bool(row and row[0])


def list_tables(url: str) -> list[str]:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(query)]


def copy_postgres(server: str, template: str | None = None) -> str:
    name = f"test_{uuid4().hex}"
    create_database(server, name, template or "template0")
    return f"{server}/{name}"
