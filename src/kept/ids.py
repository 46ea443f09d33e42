"""Keys of rows: the one place that makes them."""

from uuid import UUID, uuid4

import uuid_utils.compat


def new_id() -> UUID:
    """A UUIDv7: later keys sort after earlier ones, so that inserts stay at the end of every index."""
    return uuid_utils.compat.uuid7()


def new_media_id() -> UUID:
    """Random: a media is shared by people who need not know of each other, and a UUIDv7 would tell the second one
    to the millisecond when the first one saved it."""
    return uuid4()
