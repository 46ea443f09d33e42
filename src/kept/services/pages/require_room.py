"""Whether a user may keep more whole pages. For a unit of work."""

from uuid import UUID

from kept.domain.errors import QuotaExceeded
from kept.storage import captures
from kept.storage.database.engine import Connection


def require_room(tx: Connection, user_id: UUID, size: int, quota_bytes: int) -> None:
    """`quota_bytes` 0 is no limit."""
    if quota_bytes and captures.count_bytes(tx, user_id) + size > quota_bytes:
        raise QuotaExceeded
