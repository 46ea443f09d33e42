"""Recently removed pages: bring them back, or delete them for good."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response
from pydantic import BaseModel

from kept.api.access import KeptDep, Writer
from kept.domain.item import BulkResult
from kept.domain.paging import PageRequest
from kept.services.items.removal import forget_removed_items, list_removed, restore_removed_items
from kept.web.notices import NoticeDep, query_of
from kept.web.rendering import Visiting, go_to, with_query

router = APIRouter(include_in_schema=False)

PAGE: Final = 100


@router.get("/removed")
async def show_removed(
    visit: Visiting, notice: NoticeDep, cursor: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    page = await visit.kept.read(list_removed, visit.viewer, PageRequest(cursor or None, PAGE), now=visit.kept.now())
    next_page = with_query("/removed", {"cursor": page.next_cursor}) if page.next_cursor else None
    return visit.render("removed.html", entries=page.entries, next_page=next_page, notice=notice)


class RemovedForm(BaseModel):
    item: list[UUID] = []
    action: str = ""


@router.post("/removed")
async def submit_removed(viewer: Writer, kept: KeptDep, form: Annotated[RemovedForm, Form()]) -> Response:
    item_ids = form.item[:PAGE]
    if form.action == "forget":
        number = await kept.write(forget_removed_items, viewer, item_ids)
        return go_to("/removed", done="forget", number=number)
    restored = await kept.write(restore_removed_items, viewer, item_ids, now=kept.now())
    result = BulkResult(tuple(restored), refused=len(item_ids) - len(restored))
    return go_to("/removed", **query_of("restore", result))
