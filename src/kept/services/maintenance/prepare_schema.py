"""For an entry point that needs a current schema: upgrade if that is allowed, otherwise insist."""

from kept.config import Settings
from kept.storage.database import schema


def prepare_schema(settings: Settings) -> None:
    schema.prepare(settings.sqlalchemy_url, auto_migrate=settings.auto_migrate)
