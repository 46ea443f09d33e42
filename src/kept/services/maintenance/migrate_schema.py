"""Upgrade the database to the schema of this version. Safe to call twice, and from several machines at once."""

from kept.config import Settings
from kept.storage.database import schema


def migrate_schema(settings: Settings) -> None:
    schema.migrate(settings.sqlalchemy_url)
