"""Give the article up, or note that it was never to be; the card ends as what is known allows."""

from datetime import datetime
from typing import Final

from kept.domain.attempt import NOTHING_TO_TELL, Failure
from kept.domain.enrichment import wants_screenshot
from kept.domain.failures import FailureCode
from kept.domain.job import ClaimedJob, JobKind
from kept.domain.lifecycle import EnrichmentStatus, ProcessingStatus
from kept.domain.media import Media
from kept.services.pages.states import queue_follow_up, settle_card
from kept.storage import events, lifecycles, media
from kept.storage.database.engine import Connection
from kept.storage.jobs import queue

BLOCKED_CARD: Final = "This URL may not be fetched."


def fail_media(
    tx: Connection, job: ClaimedJob, found: Media, failure: Failure, now: datetime, *, may_screenshot: bool = False
) -> None:
    """`may_screenshot`: a browser may still draw what is no article, for the card."""
    queue.finish(tx, job)
    media.delete_snapshot(tx, found.id)
    is_blocked = failure.code is FailureCode.FETCH_FORBIDDEN
    record, state = failure.as_record(job.attempt), found.state
    if found.processing_status in {ProcessingStatus.PENDING, ProcessingStatus.EXTRACTING}:
        state = lifecycles.apply_move(
            tx,
            state,
            ProcessingStatus.BLOCKED if is_blocked else ProcessingStatus.FAILED,
            at=now,
            record=record,
            failure_code=failure.code,
            failure_message=failure.message,
            failure_stage=failure.stage,
            failure_details=failure.facts.to_json(),
            failed_at=now,
        )
        record = NOTHING_TO_TELL  # the card's line need not say it again
    if wants_screenshot(found, can_render=may_screenshot):
        queue_follow_up(tx, job, JobKind.RENDER, found, now)
    elif state.enrichment is not EnrichmentStatus.SUCCEEDED:
        settle_card(tx, found, state, error=BLOCKED_CARD if is_blocked else failure.message, now=now, record=record)
    events.publish_event(tx, found.id, "article", now)
