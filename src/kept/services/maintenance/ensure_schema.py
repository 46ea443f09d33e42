"""For a command: upgrade the database where it is older than this version; one that is current is left alone."""

from kept.config import Settings
from kept.storage.database.revision import is_current


def ensure_schema(settings: Settings) -> None:
    """Quick where there is nothing to do: no lock that a running server's writes would wait for, no Alembic."""
    if not is_current(settings.sqlalchemy_url):
        from kept.storage.database import schema

        schema.migrate(settings.sqlalchemy_url)
