"""Keys of rows: the one place that makes them and parses them."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import uuid_utils.compat


def new_id() -> UUID:
    """Return a UUIDv7: later keys sort after earlier ones, so that inserts stay at the end of every index."""
    return uuid_utils.compat.uuid7()


def find_id(text: str) -> UUID | None:
    """Parse a key that a person or a program sent; None if it is no key."""
    try:
        return UUID(text)
    except ValueError:
        return None


def time_of_id(key: UUID) -> datetime:
    """Return when a UUIDv7 was made, to the millisecond."""
    return datetime.fromtimestamp((key.int >> 80) / 1000, UTC)


def new_media_id() -> UUID:
    """Return a random key. People who need not know of each other share a media, and a UUIDv7 would tell the second one
    to the millisecond when the first one saved it."""
    return uuid4()
