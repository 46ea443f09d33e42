"""Which of the user's highlights the page "Highlights" shows, parsed from its URL and written back into one. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from fastapi import Depends, Request

from kept.domain.highlight import Colour, HighlightFilter
from kept.services.items.search import MAX_QUERY
from kept.web.list_view import clean
from kept.web.rendering import with_query

MAX_SITE_CHARS: Final = 253
MAX_ZONE_CHARS: Final = 64
YEARS: Final = range(1900, 3000)
ON_THIS_DAY: Final = "day"


@dataclass(frozen=True, slots=True)
class HighlightsView:
    text: str = ""
    colour: Colour | None = None
    site: str = ""
    since: date | None = None
    until: date | None = None
    """The last day that is shown."""
    is_on_this_day: bool = False
    zone: str = ""
    """The name of the reader's time zone, which says when a day begins; UTC if it is unknown."""

    def today(self, now: datetime) -> date:
        return now.astimezone(find_zone(self.zone)).date()

    def filter(self, now: datetime) -> HighlightFilter:
        zone = find_zone(self.zone)
        return HighlightFilter(
            text=self.text,
            colour=self.colour,
            site=self.site or None,
            since=begin_of(self.since, zone) if self.since else None,
            until=begin_of(self.until + timedelta(days=1), zone) if self.until else None,
            on_day=self.today(now) if self.is_on_this_day else None,
            zone=zone,
        )

    @property
    def query(self) -> dict[str, object]:
        return {
            "view": ON_THIS_DAY if self.is_on_this_day else None,
            "q": self.text,
            "colour": self.colour,
            "site": self.site,
            "from": self.since,
            "to": self.until,
            "zone": self.zone,
        }

    @property
    def is_narrowed(self) -> bool:
        return any(value for name, value in self.query.items() if name not in {"zone", "view"})

    def url(self, **changes: Any) -> str:
        return with_query("/highlights", replace(self, **changes).query)

    def page_url(self, cursor: str) -> str:
        return with_query("/highlights", {**self.query, "cursor": cursor})


def find_zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (OSError, ValueError, KeyError):
        return UTC


def begin_of(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def parse_day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS else None


def parse_highlights_view(query: Mapping[str, str]) -> HighlightsView:
    """Parse a query; unknown values, from an old bookmark or a typing error, are ignored."""
    colour = query.get("colour", "")
    return HighlightsView(
        text=clean(query.get("q", "")[:MAX_QUERY]),
        colour=Colour(colour) if colour in list(Colour) else None,
        site=clean(query.get("site", "")[:MAX_SITE_CHARS]).lower(),
        since=parse_day(query.get("from", "")),
        until=parse_day(query.get("to", "")),
        is_on_this_day=query.get("view") == ON_THIS_DAY,
        zone=clean(query.get("zone", "")[:MAX_ZONE_CHARS]),
    )


async def get_highlights_view(request: Request) -> HighlightsView:
    return parse_highlights_view(request.query_params)


HighlightsViewDep = Annotated[HighlightsView, Depends(get_highlights_view)]
