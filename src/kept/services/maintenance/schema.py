"""The database's schema: whether it is current, and upgrading it."""

from kept.config import Settings
from kept.domain.schema import SchemaState
from kept.storage.migrations import schema


def ensure_schema(settings: Settings) -> None:
    """Upgrade the database for a command, where it is older than this version; one that is current is left alone.

    That is quick where there is nothing to do: it takes no lock that a running server's writes would wait for, and
    needs no Alembic.
    """
    if not schema.is_current(settings.sqlalchemy_url):
        schema.migrate(settings.sqlalchemy_url)


def migrate_schema(settings: Settings) -> None:
    """Upgrade the database to the schema of this version. Safe to call twice, and from several machines at once."""
    schema.migrate(settings.sqlalchemy_url)


def prepare_schema(settings: Settings) -> None:
    """Upgrade the schema for an entry point that needs a current one, if that is allowed; otherwise insist on it."""
    schema.prepare(settings.sqlalchemy_url, auto_migrate=settings.auto_migrate)


def read_schema_state(settings: Settings) -> SchemaState:
    """Whether the database's schema is the one this version knows."""
    return schema.read_schema_state(settings.sqlalchemy_url)
