"""What happened here, and what is going on: one page's history, and the queue of all."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Request, Response

from kept.api.access import KeptDep, Writer
from kept.domain.library import Role
from kept.domain.lifecycle import RETRYABLE
from kept.services.items.read_card import read_card
from kept.services.maintenance.list_failures import list_failures
from kept.services.maintenance.read_queue_overview import read_queue_overview
from kept.services.reading.read_history import read_history
from kept.web.actions import retry
from kept.web.history_text import advise, name_reason, tell
from kept.web.notices import NoticeDep
from kept.web.rendering import Visiting, go_to

router = APIRouter()

RETRIED_AT_ONCE: Final = 200


@router.get("/history/{item_id}")
async def show_history(visit: Visiting, item_id: UUID, notice: NoticeDep) -> Response:
    card, role = await read_card(visit.kept.database, visit.viewer, item_id)
    lines = await read_history(visit.kept.database, visit.viewer, card.media.id)
    return visit.render(
        "history.html",
        card=card,
        lines=[tell(line) for line in lines],
        advice=advise(card.media.failure_code) if card.media.failure_code else None,
        can_retry=card.media.processing_status in RETRYABLE,
        may_write=role is Role.ADMIN,
        notice=notice,
    )


@router.get("/queue")
async def show_queue(visit: Visiting, notice: NoticeDep) -> Response:
    queue = await read_queue_overview(visit.kept.database, visit.viewer, now=visit.kept.now())
    return visit.render("queue.html", queue=queue, name_reason=name_reason, advise=advise, notice=notice)


@router.post("/queue/retry")
async def submit_retry(request: Request, viewer: Writer, kept: KeptDep, code: Annotated[str, Form()] = "") -> Response:
    """Every page that failed for this reason, as many as are shown at once."""
    failed = await list_failures(kept.database, viewer, code or None, limit=RETRIED_AT_ONCE)
    if failed:
        await retry(kept, viewer, [failure.item_id for failure in failed], request.state.request_id)
    return go_to("/queue", done="retry", number=len(failed))
