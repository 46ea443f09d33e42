"""The database's schema: whether it is current, and upgrading it."""

from kept.config import Settings
from kept.domain.schema import SchemaState
from kept.storage.migrations import schema


def ensure_schema(settings: Settings) -> None:
    """Upgrade the database for a command if it is older than this version.

    This is quick where there is nothing to do: it takes no lock that a server's writes wait for, and needs no Alembic.
    """
    if not schema.is_current(settings.sqlalchemy_url):
        schema.migrate(settings.sqlalchemy_url)


def migrate_schema(settings: Settings) -> None:
    """Upgrade the database to the schema of this version. It may run twice, and on several machines at once."""
    schema.migrate(settings.sqlalchemy_url)


def prepare_schema(settings: Settings) -> None:
    """Upgrade the schema for an entry point if that is allowed; otherwise require that it is current."""
    schema.prepare(settings.sqlalchemy_url, auto_migrate=settings.auto_migrate)


def read_schema_state(settings: Settings) -> SchemaState:
    """Return whether the database's schema is the one this version knows."""
    return schema.read_schema_state(settings.sqlalchemy_url)
