"""How well saving has gone, as figures from the histories in the database."""

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from kept.domain.lifecycle import EnrichmentStatus
from kept.domain.success import CardStory, Figure, Tally
from kept.storage import success
from kept.storage.database.engine import Connection, Database
from kept.storage.success import CardStep


@dataclass(frozen=True, slots=True)
class Success:
    figures: list[Figure]
    pages: int
    shared_pages: int
    double_pages: int


async def measure_success(database: Database, since: datetime) -> Success:
    tally = Tally()
    async for steps in _iterate_histories(database, since):
        tally.add(_summarise(steps))
    return Success(tally.figures(), *await database.read(_count_pages, since))


async def _iterate_histories(database: Database, since: datetime) -> AsyncIterator[list[CardStep]]:
    """The steps of one page at a time. A page may begin in one batch and end in the next."""
    pending: list[CardStep] = []
    while batch := await database.read(success.list_card_steps, since, pending[-1] if pending else None):
        *complete, pending = _group_by_page([*pending, *batch])
        for steps in complete:
            yield steps
    if pending:
        yield pending


def _group_by_page(steps: Iterable[CardStep]) -> Iterator[list[CardStep]]:
    return (list(own) for _, own in groupby(steps, key=lambda step: step.media_id))


def _summarise(steps: list[CardStep]) -> CardStory:
    first = steps[0]
    imaged = (step.at - first.saved_at for step in steps if step.to_state == EnrichmentStatus.SUCCEEDED)
    return CardStory(
        is_refused=first.record.validation_reason is not None or first.to_state == EnrichmentStatus.FAILED,
        found_at_once=first.record.found or (),
        first_after=first.at - first.saved_at,
        image_after=next(imaged, None),
    )


def _count_pages(tx: Connection, since: datetime) -> tuple[int, int, int]:
    """Pages saved, those of them in several libraries, and those stored twice."""
    pages, shared = success.count_shared_pages(tx, since)
    return pages, shared, success.count_double_pages(tx)
