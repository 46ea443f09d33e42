"""Another line of history for what is still to be done: the article, or else the card's image."""

from datetime import datetime

from kept.domain.attempt import AttemptRecord
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.storage import lifecycles
from kept.storage.database.engine import Connection


def record_attempt(tx: Connection, found: Media, record: AttemptRecord, now: datetime) -> None:
    if found.processing_status is ProcessingStatus.EXTRACTING:
        lifecycles.apply_move(tx, found.state, ProcessingStatus.EXTRACTING, at=now, record=record)
    elif found.enrichment_status is EnrichmentStatus.PENDING:
        lifecycles.apply_move(tx, found.state, EnrichmentStatus.PENDING, at=now, record=record)
