"""The end of a card that waits for nothing more: succeeded if it says anything at all, otherwise failed.

Also of a card that failed before: whatever a retry or somebody else's save found since makes it good.
"""

from dataclasses import replace
from datetime import datetime

from kept.domain.attempt import NOTHING_TO_TELL, AttemptRecord
from kept.domain.enrichment import decide_at_the_end
from kept.domain.lifecycle import EnrichmentStatus, LifecycleState
from kept.domain.media import Media
from kept.storage import lifecycles, media
from kept.storage.database.engine import Connection


def settle_card(
    tx: Connection,
    found: Media,
    state: LifecycleState,
    *,
    error: str | None,
    now: datetime,
    record: AttemptRecord = NOTHING_TO_TELL,
) -> None:
    """`state`: where the media is now, which `found` may not know yet."""
    status = decide_at_the_end(found)
    if status is EnrichmentStatus.FAILED and state.enrichment is status:  # the history told it the first time
        media.update_media(tx, found.id, now, enrichment_error=error)
    elif status is EnrichmentStatus.SUCCEEDED:
        lifecycles.apply_move(tx, state, status, at=now, record=record, enriched_at=now, enrichment_error=None)
    else:
        told = replace(record, message=record.message or error)
        lifecycles.apply_move(tx, state, status, at=now, record=told, enrichment_error=error)
