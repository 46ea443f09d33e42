"""Whether a database stands at this version's last migration, without importing Alembic."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from kept.domain.errors import Unavailable
from kept.storage.database.engine import Database

VERSIONS: Final = Path(__file__).parent.parent / "migrations" / "versions"


def is_current(url: str) -> bool:
    """False too where that could not be read: whoever migrates then is told why."""
    database = Database(url)
    try:
        return database.run_read(read_revision) == find_last_revision()
    except (DBAPIError, Unavailable):
        return False
    finally:
        database.dispose()


def read_revision(tx: Connection) -> str | None:
    revision: str | None = tx.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def find_last_revision() -> str:
    """The number its file begins with."""
    return max(path.name for path in VERSIONS.glob("[0-9]*_*.py")).partition("_")[0]
