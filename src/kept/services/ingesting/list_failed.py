"""The pages that failed and can be tried again, for whoever runs the server."""

from uuid import UUID

from kept.storage import media
from kept.storage.database.engine import Connection


def list_failed(tx: Connection, code: str | None) -> list[UUID]:
    """Oldest failure first; only those with that code, if there is one."""
    return media.list_failed(tx, code)
