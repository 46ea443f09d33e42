"""What several routes read from a request: its fields, with their descriptions, and the URL at which it came in."""

from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import Header, Request
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field

from kept.wiring.server import Kept

LIBRARY_ID = "`all`: every library the user can read, each page once. Default: the user's own."
NEXT_CURSOR = "Pass it as `cursor` for the next page; null on the last."

Cursor = Annotated[str, Field(max_length=200)]
IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key")]


def refuse_number_as_moment(value: object) -> object:
    """Refuse a number: Pydantic would take 0.5 for half a second after midnight on 1 January 1970."""
    if isinstance(value, str) and "-" not in value[1:]:
        raise ValueError("write it as 2026-01-31T12:00:00Z")
    return value


def refuse_number_as_day(value: object) -> object:
    """Refuse a number: Pydantic would take 0 for 1 January 1970."""
    if not isinstance(value, str) or "-" not in value[1:]:
        raise ValueError("write it as 2026-01-31")
    return value


def to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("this moment is before or after all others") from None


Moment = Annotated[AwareDatetime, BeforeValidator(refuse_number_as_moment), AfterValidator(to_utc)]
Day = Annotated[date, BeforeValidator(refuse_number_as_day)]


def find_base_url(request: Request, kept: Kept) -> str:
    """Return the URL of this server, without a slash at its end."""
    return (kept.settings.public_url or str(request.base_url)).rstrip("/")
