"""Whether the database's schema is the one this version knows."""

from kept.config import Settings
from kept.domain.schema import SchemaState
from kept.storage.database import schema


def read_schema_state(settings: Settings) -> SchemaState:
    return schema.read_schema_state(settings.sqlalchemy_url)
