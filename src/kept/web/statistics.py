"""The page of reading statistics: what the user has read and saved, and what waits."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from kept.domain.statistics import Period
from kept.services.reading.statistics import read_statistics
from kept.web.highlights_view import MAX_ZONE_CHARS, find_zone
from kept.web.rendering import Visiting

router = APIRouter(include_in_schema=False)


@router.get("/statistics")
async def show_statistics(visit: Visiting, zone: Annotated[str, Query(max_length=MAX_ZONE_CHARS)] = "") -> Response:
    """Show the statistics. `zone`, sent by our scripts, is the reader's time zone; without it days are in UTC."""
    statistics = await visit.kept.read(read_statistics, visit.viewer, zone=find_zone(zone), now=visit.kept.now())
    return visit.render(
        "statistics.html",
        found=statistics,
        most_in_week=most_articles(statistics.weeks),
        most_in_month=most_articles(statistics.months),
        notice=None,
    )


def most_articles(periods: list[Period]) -> int:
    """Return the number that the longest bar stands for."""
    return max(max(period.tally.articles, period.tally.saved) for period in periods) or 1
