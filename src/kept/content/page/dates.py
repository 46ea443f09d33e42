"""Parses dates as pages write them. It never guesses: a text it does not know gives None."""

import re
from datetime import UTC, datetime
from typing import Final

_ZONES: Final = ((" +", "+"), (" Z", "Z"), (" UTC", "Z"), (" GMT", "Z"))
_EPOCH: Final = re.compile(r"\d{10}(?:\d{3})?")
# fromisoformat wants at most six digits of a second, and a plain T or space before the time.
_LONG_FRACTION: Final = re.compile(r"(\.\d{6})\d+")
# As JavaScript writes a date: "Wed Nov 20 2019 08:00:58 GMT+0000 (Coordinated Universal Time)".
_SCRIPTED: Final = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{2} \d{4} \d\d:\d\d:\d\d) (?:GMT|UTC)([+-]\d{4})?")
_YEARS: Final = range(1900, 2101)


def parse_page_date(text: str | None) -> datetime | None:
    """Return the moment in UTC; a date without a time is its midnight, a time without a zone is taken as UTC."""
    text = (text or "").strip()
    if not 8 <= len(text) <= 80:
        return None
    try:
        moment = _parse(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.year in _YEARS else None


def _parse(text: str) -> datetime:
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    if text[:4].isdigit():
        for written, meant in _ZONES:
            text = text.replace(written, meant)
        return datetime.fromisoformat(_LONG_FRACTION.sub(r"\1", text))
    if scripted := _SCRIPTED.match(text):
        return datetime.strptime(f"{scripted[1]} {scripted[2] or '+0000'}", "%b %d %Y %H:%M:%S %z")
    from email.utils import parsedate_to_datetime  # few pages need it, and it imports ten other modules

    return parsedate_to_datetime(text)
