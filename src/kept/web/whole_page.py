"""The tabs of a whole page: the article, the page as it looked, its screenshot and its PDF."""

from typing import Final
from uuid import UUID

from fastapi import APIRouter, Response

from kept.api.middleware import CONTENT_SECURITY_POLICY
from kept.content.whole_page.policy import SANDBOX
from kept.domain.capture import CaptureFormat, explain_refusal
from kept.domain.failures import RETRY_CANNOT_HELP
from kept.services.items.copying import list_captures
from kept.web.messages import tell_failure
from kept.web.notices import NoticeDep
from kept.web.rendering import Visiting

router = APIRouter(include_in_schema=False)

TABS: Final = {"page": CaptureFormat.HTML, "screenshot": CaptureFormat.PNG, "pdf": CaptureFormat.PDF}
# This is the only one of our pages with a frame, and the frame shows our own files alone.
POLICY: Final = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"


@router.get("/whole/{item_id}")
async def show_whole_page(visit: Visiting, item_id: UUID, notice: NoticeDep, tab: str = "") -> Response:
    page = await visit.kept.read(list_captures, visit.viewer, item_id)
    there = [name for name, kind in TABS.items() if page.find(kind) is not None]
    shown = tab if tab in there else next(iter(there), None)
    refusal = explain_refusal(page.card.media, is_kept=visit.kept.settings.keeps_whole_pages)
    can_ask = page.may_change and refusal is None
    failure = page.failure if not page.is_queued else None
    response = visit.render(
        "whole_page.html",
        page=page,
        card=page.card,
        tabs=there,
        tab=shown,
        sandbox=SANDBOX,
        failure=failure,
        tell_failure=tell_failure,
        can_ask=can_ask,
        can_help=failure is None or failure.code not in RETRY_CANNOT_HELP,
        notice=notice,
    )
    response.headers["Content-Security-Policy"] = POLICY
    return response
