"""How well saving has gone: SC-001 to SC-008 as live figures, from the histories in the database."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.success import CardStory, Figure, Tally
from kept.storage import success
from kept.storage.database.engine import Database
from kept.storage.success import CardStep


@dataclass(frozen=True, slots=True)
class Success:
    figures: list[Figure]
    pages: int
    shared_pages: int
    double_pages: int


async def measure_success(database: Database, since: datetime) -> Success:
    tally, pending = Tally(), list[CardStep]()
    async with database.read() as tx:
        async for batch in success.read_card_steps(tx, since):
            *whole, pending = pages_of([*pending, *batch])
            for steps in whole:
                tally.add(tell_story(steps))
        pages, shared = await success.count_shared_pages(tx, since)
        double = await success.count_double_pages(tx)
    if pending:
        tally.add(tell_story(pending))
    return Success(tally.figures(), pages, shared, double)


def pages_of(steps: Iterable[CardStep]) -> Iterator[list[CardStep]]:
    """The last page may go on in the next batch."""
    return (list(own) for _, own in groupby(steps, key=lambda step: step.media_id))


def tell_story(steps: list[CardStep]) -> CardStory:
    first = steps[0]
    pictured = (step.at - first.saved_at for step in steps if step.to_state == EnrichmentStatus.SUCCEEDED)
    return CardStory(
        is_refused="validation_reason" in first.metadata or first.to_state == EnrichmentStatus.FAILED,
        found_at_once=first.metadata.get("found", ()),
        first_after=first.at - first.saved_at,
        picture_after=next(pictured, None),
    )
