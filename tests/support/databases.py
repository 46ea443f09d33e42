"""Fresh, migrated databases in milliseconds: copies of a template made once."""

import shutil
from pathlib import Path
from uuid import uuid4

import psycopg

from kept.storage.schema import migrate


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


def copy_postgres(server: str, template: str | None = None) -> str:
    name = f"test_{uuid4().hex}"
    create_database(server, name, template or "template0")
    return f"{server}/{name}"
