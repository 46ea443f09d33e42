"""Save the articles of pages of which only the cards were saved: of a library, or of all; some at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from kept.domain.account import Viewer
from kept.domain.job import JobKind
from kept.domain.library import LibraryChoice
from kept.jobs.notifier import Notifier
from kept.services.ingesting.queue_retry import RetryRequest, queue_retry
from kept.services.libraries.libraries import choose_readable_libraries
from kept.storage import media
from kept.storage.database.engine import Connection, Database

MAX_CARDS: Final = 1_000
# One transaction for so many: on SQLite nobody else can save meanwhile.
BATCH: Final = 100


@dataclass(frozen=True, slots=True)
class CardsToIngest:
    library: LibraryChoice = None
    limit: int = MAX_CARDS
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class IngestedCards:
    queued: int
    remaining: int


async def ingest_cards(
    database: Database, notifier: Notifier, viewer: Viewer, wanted: CardsToIngest, *, now: datetime
) -> IngestedCards:
    """They wait behind what people save."""
    library_ids = await database.read(choose_readable_libraries, viewer, wanted.library)
    asked, queued = RetryRequest(viewer.user_id, wanted.request_id), 0
    while queued < wanted.limit:
        media_ids = await database.write(_queue, library_ids, asked, min(BATCH, wanted.limit - queued), now)
        for media_id in media_ids:
            notifier.notify(JobKind.INGEST, media_id)
        queued += len(media_ids)
        if not media_ids:
            break
    return IngestedCards(queued, await database.read(media.count_card_only, library_ids))


def _queue(
    tx: Connection, library_ids: Sequence[UUID], asked: RetryRequest, limit: int, now: datetime
) -> Sequence[UUID]:
    found = media.lock_card_only(tx, library_ids, limit=limit)
    for page in found:
        queue_retry(tx, page, asked, now)
    return [page.id for page in found]
