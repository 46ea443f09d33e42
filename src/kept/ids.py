"""Keys of rows: the one place that makes them, and reads them from a text."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import uuid_utils.compat


def new_id() -> UUID:
    """A UUIDv7: later keys sort after earlier ones, so that inserts stay at the end of every index."""
    return uuid_utils.compat.uuid7()


def find_id(text: str) -> UUID | None:
    """The key that a person or a program sent; None for what is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def time_of_id(key: UUID) -> datetime:
    """When a UUIDv7 was made, to the millisecond."""
    return datetime.fromtimestamp((key.int >> 80) / 1000, UTC)


def new_media_id() -> UUID:
    """Random: a media is shared by people who need not know of each other, and a UUIDv7 would tell the second one
    to the millisecond when the first one saved it."""
    return uuid4()
