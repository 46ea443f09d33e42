"""Cursors: where a page of a list or of a search begins, as text that clients hand back. Pure."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from kept.domain.errors import InvalidRequest

# A page number somebody made up must not make the database count for ever.
MAX_OFFSET: Final = 1_000_000
NOT_A_CURSOR: Final = "This cursor is not one of ours."


@dataclass(frozen=True, slots=True)
class PageRequest:
    cursor: str | None = None
    limit: int = 30


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a list; everything before it was shown already."""

    created_at: datetime
    item_id: UUID


def write_position(position: Position) -> str:
    return _encode(f"{position.created_at.isoformat()} {position.item_id}")


def parse_position(cursor: str) -> Position:
    created_at, _, item_id = _decode(cursor).partition(" ")
    try:
        moment = datetime.fromisoformat(created_at)
        position = Position(moment.astimezone(UTC), UUID(item_id))
    except (ValueError, OverflowError):
        raise InvalidRequest(NOT_A_CURSOR) from None
    if moment.tzinfo is None:
        raise InvalidRequest(NOT_A_CURSOR)
    return position


# A search is ranked as a whole, so that a page of it is a place in that order and not after some item.


def write_offset(offset: int) -> str:
    return _encode(f"at {offset}")


def parse_offset(cursor: str) -> int:
    word, _, number = _decode(cursor).partition(" ")
    offset = int(number) if word == "at" and number.isdecimal() and len(number) < 10 else -1
    if not 0 < offset <= MAX_OFFSET:
        raise InvalidRequest(NOT_A_CURSOR)
    return offset


def _encode(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str) -> str:
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (ValueError, binascii.Error):
        raise InvalidRequest(NOT_A_CURSOR) from None
