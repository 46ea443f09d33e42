"""The stored databases of a release (`tests/data/`), on which the migrations of later versions are tried.

They were made by the version they are named after and never change. A release whose schema is another adds its own:

    PYTHONPATH=tests .venv/bin/python -m support.builders.stored_databases 0.2
"""

import asyncio
import lzma
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psycopg

from kept.config import Settings
from kept.storage.database.driver import sqlite
from kept.storage.database.engine import Database
from kept.storage.migrations.schema import migrate
from support.builders.filled_database import fill_database
from support.fixtures.databases import copy_postgres
from support.servers.local_servers import run_postgres

DATA: Final = Path(__file__).parents[2] / "data"
VERSIONS: Final = sorted(path.name.removeprefix("kept-").removesuffix(".sql") for path in DATA.glob("kept-*.sql"))
DUMP: Final = ("pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100")
# What tells of the machine, and what only psql or the newest servers understand.
NOT_STORED: Final = re.compile(r"^(-- Dumped |\\(un)?restrict |SET transaction_timeout ).*\n", re.MULTILINE)


def restore_sqlite(version: str, folder: Path) -> str:
    """The URL of a copy in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kept.db").write_bytes(lzma.decompress((DATA / f"kept-{version}.db.xz").read_bytes()))
    return f"sqlite:///{folder}/kept.db"


def restore_postgres(version: str, server: str) -> str:
    """The URL of a new database on this server."""
    url = copy_postgres(server)
    with psycopg.connect(url) as connection:
        connection.execute((DATA / f"kept-{version}.sql").read_bytes())
    return url


async def store(version: str) -> None:
    with TemporaryDirectory() as name, run_postgres() as server:
        folder = Path(name)
        await make(f"sqlite:///{folder}/kept.db", folder)
        with closing(sqlite.connect(folder / "kept.db")) as connection:
            connection.execute("VACUUM INTO ?", [f"{folder}/stored.db"])
        (DATA / f"kept-{version}.db.xz").write_bytes(lzma.compress((folder / "stored.db").read_bytes()))
        url = copy_postgres(server)
        await make(url, folder)
        dump = subprocess.run([*DUMP, url], capture_output=True, text=True, check=True).stdout
        (DATA / f"kept-{version}.sql").write_text(NOT_STORED.sub("", dump))


async def make(database_url: str, folder: Path) -> None:
    url = Settings(database_url=database_url).sqlalchemy_url
    migrate(url)
    database = Database(url)
    await fill_database(database, folder)
    await database.close()


if __name__ == "__main__":
    asyncio.run(store(sys.argv[1]))
