"""The save history of one page, and the activity page: what waits, runs and failed."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response

from kept.api.access import KeptDep, Writer
from kept.domain.capture import explain_refusal
from kept.domain.document import is_upload_url
from kept.domain.failures import MAY_BE_DOCUMENTS, RETRY_CANNOT_HELP
from kept.domain.item import Card
from kept.domain.library import ALL_LIBRARIES, Role
from kept.domain.lifecycle import RETRYABLE, ProcessingStatus
from kept.domain.media import Media
from kept.services.ingesting.retries import CardsToIngest, ingest_cards
from kept.services.maintenance.figures import list_failures, read_queue_overview
from kept.services.pages.cards import get_card_and_role, read_history
from kept.services.pages.copies import list_copies
from kept.services.reading.files import read_facts
from kept.web.actions import retry
from kept.web.history_text import describe_line
from kept.web.i18n import N_
from kept.web.list_view import find_list
from kept.web.messages import get_advice, get_reason, tell_failure
from kept.web.notices import NoticeDep, query_of
from kept.web.rendering import Visiting, go_to, local_path

router = APIRouter(include_in_schema=False)

RETRIED_AT_ONCE: Final = 200
AT_WORK: Final = frozenset({ProcessingStatus.PENDING, ProcessingStatus.EXTRACTING})
JOB_LABELS: Final = {
    "ingest": N_("saving the article"),
    "render": N_("opening in a browser"),
    "store_images": N_("saving images"),
    "anchor_highlights": N_("finding highlights in the text"),
    "capture": N_("saving the whole page"),
}


@router.get("/history/{item_id}")
async def show_history(
    visit: Visiting, item_id: UUID, notice: NoticeDep, listed: Annotated[str, Query(alias="list", max_length=4000)] = ""
) -> Response:
    list_view = find_list(local_path(listed, otherwise=""))
    card, role = await visit.kept.read(get_card_and_role, visit.viewer, item_id)
    lines = await visit.kept.read(read_history, visit.viewer, card.media.id)
    return visit.render(
        "history.html",
        card=card,
        lines=lines,
        copies=await visit.kept.read(list_copies, visit.viewer, item_id),
        describe_line=describe_line,
        get_advice=get_advice,
        tell_failure=tell_failure,
        can_retry=can_retry(card.media),
        is_at_work=card.media.processing_status in AT_WORK,
        has_whole_page=explain_refusal(card.media, is_kept=visit.kept.settings.keeps_whole_pages) is None,
        listed=list_view.url() if list_view else None,
        can_recapture=role is Role.ADMIN and not is_upload_url(card.item.url),
        notice=notice,
        has_file=await has_file(visit, card),
    )


def can_retry(media: Media) -> bool:
    """Return whether a retry is allowed and can help."""
    is_hopeless = media.failure_code in RETRY_CANNOT_HELP and not media.may_be_a_document
    return media.processing_status in RETRYABLE and not is_hopeless


async def has_file(visit: Visiting, card: Card) -> bool:
    """Return whether a document that could not be read has a file to download."""
    if not card.media.is_document:
        return False
    return (await visit.kept.read(read_facts, visit.viewer, card.item.id)).file is not None


@router.get("/queue")
async def show_queue(visit: Visiting, notice: NoticeDep) -> Response:
    queue = await visit.kept.read(read_queue_overview, visit.viewer, now=visit.kept.now())
    return visit.render(
        "queue.html",
        queue=queue,
        get_reason=get_reason,
        get_advice=get_advice,
        tell_failure=tell_failure,
        retry_cannot_help=RETRY_CANNOT_HELP - MAY_BE_DOCUMENTS,
        job_labels=JOB_LABELS,
        notice=notice,
    )


@router.post("/queue/ingest")
async def submit_ingest(request: Request, viewer: Writer, kept: KeptDep) -> Response:
    """Save the articles of pages of which only the card was saved, at most MAX_CARDS at once."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    wanted = CardsToIngest(ALL_LIBRARIES, request_id=request.state.request_id)
    done = await ingest_cards(kept.database, kept.notifier, viewer, wanted, now=kept.now())
    return go_to("/queue", done="ingest_more" if done.remaining else "ingest", number=done.queued)


@router.post("/queue/retry")
async def submit_retry(request: Request, viewer: Writer, kept: KeptDep, code: Annotated[str, Form()] = "") -> Response:
    """Retry the pages that failed for this reason, at most RETRIED_AT_ONCE."""
    failed = await kept.read(list_failures, viewer, code or None, limit=RETRIED_AT_ONCE)
    result = await retry(kept, viewer, [failure.item_id for failure in failed], request.state.request_id)
    return go_to("/queue", **query_of("retry", result))
