"""Actions on items, one or several at once, the undo of each, and the form that edits one item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Request, Response
from pydantic import BaseModel

from kept.api.access import KeptDep, Writer
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError, NotFound
from kept.domain.item import BulkResult
from kept.ids import find_id
from kept.services.ingesting.retries import retry_items
from kept.services.items.changes import ItemChange, ItemsChange, ReadingChange, change_item, change_items
from kept.services.items.copying import capture_items, recapture_items
from kept.services.items.lists import list_shown_cards
from kept.services.items.moving import move_item, move_items
from kept.services.items.removal import remove_items, undo_batch
from kept.services.libraries.libraries import list_libraries
from kept.services.pages.cards import get_card_and_role
from kept.web.adding import writable
from kept.web.i18n import N_
from kept.web.library import shown_values
from kept.web.list_view import find_list
from kept.web.notices import make_result_notice, query_of
from kept.web.rendering import Visit, Visiting, begin_visit, go_to, local_path, wants_fragment
from kept.web.text import split_tags
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

NOTHING_CHANGED: Final = BulkResult()
MAX_AT_ONCE: Final = 500
READING: Final = {
    "favourite": ReadingChange(is_favourite=True),
    "unfavourite": ReadingChange(is_favourite=False),
    "archive": ReadingChange(is_archived=True),
    "unarchive": ReadingChange(is_archived=False),
    "read": ReadingChange(is_read=True),
    "unread": ReadingChange(is_read=False),
}
Text = Annotated[str, Form()]


class ActionForm(BaseModel):
    item: list[UUID] = []
    action: str = ""
    tag: str = ""
    library: str = ""
    back: str = "/"


@dataclass(frozen=True, slots=True)
class Acted:
    """What was done to which items, and the page it was done on."""

    item_ids: Sequence[UUID]
    back: str
    done: str
    """The name of the notice that says what was done."""
    result: BulkResult = NOTHING_CHANGED


@router.post("/items")
async def act(request: Request, viewer: Writer, kept: KeptDep, form: Annotated[ActionForm, Form()]) -> Response:
    back, fault = local_path(form.back), find_fault(form)
    if fault is not None:
        return await answer(request, kept, viewer, Acted(form.item[:MAX_AT_ONCE], back, fault))
    try:
        result = await run_action(kept, viewer, form, request.state.request_id)
    except InvalidRequest:
        if form.action not in {"tag", "untag"}:
            raise
        return await answer(request, kept, viewer, Acted(form.item, back, "bad_tag"))
    return await answer(request, kept, viewer, Acted(form.item, back, form.action, result))


def find_fault(form: ActionForm) -> str | None:
    """Return the name of the notice that says what is missing from the form."""
    if not form.item:
        return "none_selected"
    if len(form.item) > MAX_AT_ONCE:
        return "too_many"
    if form.action in {"tag", "untag"} and not form.tag.replace(",", "").strip():
        return "no_tag"
    return "no_library" if form.action == "move" and find_id(form.library) is None else None


async def run_action(kept: Kept, viewer: Viewer, form: ActionForm, request_id: str) -> BulkResult:
    database, now, tags = kept.database, kept.now(), tuple(form.tag.split(","))
    match form.action:
        case "delete":
            return await database.write(remove_items, viewer, form.item, now=now)
        case "retry" | "ingest":
            return await retry(kept, viewer, form.item, request_id)
        case "recapture":
            await kept.rate_limits.require("save", str(viewer.user_id))
            return await recapture_items(database, kept.notifier, viewer, form.item, request_id=request_id, now=now)
        case "capture":
            await kept.rate_limits.require("save", str(viewer.user_id))
            return await capture_items(kept.capturer, viewer, form.item, request_id=request_id, now=now)
        case "move":
            return await database.write(move_items, viewer, form.item, UUID(form.library), now=now)
        case "tag":
            return await database.write(change_items, viewer, form.item, ItemsChange(add_tags=tags), now=now)
        case "untag":
            return await database.write(change_items, viewer, form.item, ItemsChange(remove_tags=tags), now=now)
        case action if action in READING:
            return await database.write(change_items, viewer, form.item, ItemsChange(READING[action]), now=now)
    raise InvalidRequest(N_("Unknown action."))


async def retry(kept: Kept, viewer: Viewer, item_ids: Sequence[UUID], request_id: str) -> BulkResult:
    await kept.rate_limits.require("save", str(viewer.user_id))
    return await retry_items(kept.database, kept.notifier, viewer, item_ids, request_id=request_id, now=kept.now())


async def answer(request: Request, kept: Kept, viewer: Viewer, acted: Acted) -> Response:
    """Redirect to the page the form came from, with a notice; our scripts get the cards that are still in its list."""
    if not wants_fragment(request):
        return go_to(acted.back, **query_of(acted.done, acted.result))
    list_view, item_ids = find_list(acted.back), [*acted.item_ids, *acted.result.changed]
    shown = await kept.read(list_shown_cards, viewer, list_view.listed if list_view else None, item_ids)
    notice = make_result_notice(acted.done, acted.result)
    visit = await begin_visit(request, viewer, kept)
    return visit.render("parts/changed.html", 200, back=acted.back, notice=notice, **shown_values(shown))


@router.post("/undo")
async def undo(
    request: Request, viewer: Writer, kept: KeptDep, batch: Annotated[UUID, Form()], back: Text = "/"
) -> Response:
    path = local_path(back)
    try:
        item_ids = await undo_batch(kept.database, viewer, batch, now=kept.now())
    except NotFound:
        return await answer(request, kept, viewer, Acted((), path, "undo_gone"))
    return await answer(request, kept, viewer, Acted(item_ids, path, "undo", BulkResult(tuple(item_ids))))


@router.get("/items/{item_id}")
async def show_item(visit: Visiting, item_id: UUID, back: str = "/") -> Response:
    """Show the form with an item's tags, note, custom title, excerpt and library; its fragment is for a dialog."""
    return await render_item(visit, item_id, local_path(back), {})


async def render_item(
    visit: Visit, item_id: UUID, back: str, typed: dict[str, str], error: KeptError | None = None
) -> Response:
    card, role = await visit.kept.read(get_card_and_role, visit.viewer, item_id)
    known = {
        "tags": ", ".join(card.tags),
        "note": card.item.note or "",
        "title": card.item.title or "",
        "excerpt": card.item.excerpt or "",
        "library": str(card.item.library_id),
    }
    template = "parts/item_form.html" if wants_fragment(visit.request) else "item.html"
    return visit.render(
        template,
        error.http_status if error else 200,
        card=card,
        role=role,
        back=back,
        filled=known | typed,
        libraries=writable(await visit.kept.read(list_libraries, visit.viewer)),
        error=error.told if error else None,
    )


@dataclass(frozen=True, slots=True)
class ItemForm:
    change: ItemChange
    typed: dict[str, str]
    library_id: UUID | None
    back: str


async def parse_item_form(request: Request) -> ItemForm:
    """Parse only the fields that were sent. FastAPI's `Form` would take an emptied field for a missing one."""
    form = await request.form()
    sent = {name: value.replace("\x00", "") for name, value in form.items() if isinstance(value, str)}
    texts: dict[str, str | None] = {name: sent[name] for name in ("title", "excerpt", "note") if name in sent}
    shown = [tag for tag in form.getlist("shown_tag") if isinstance(tag, str)]
    tags = split_tags(sent["tags"], shown) if "tags" in sent else None
    typed: dict[str, str] = {
        name: sent[name] for name in ("title", "excerpt", "note", "tags", "library") if name in sent
    }
    change, library_id = ItemChange(texts, tags=tags), find_id(sent.get("library", ""))
    return ItemForm(change, typed, library_id, local_path(sent.get("back", "/")))


@router.post("/items/{item_id}")
async def submit_item(
    request: Request, viewer: Writer, kept: KeptDep, item_id: UUID, form: Annotated[ItemForm, Depends(parse_item_form)]
) -> Response:
    try:
        card = await kept.write(change_item, viewer, item_id, form.change, now=kept.now())
        if form.library_id is not None and form.library_id != card.item.library_id:
            card = await kept.write(move_item, viewer, item_id, form.library_id, now=kept.now())
    except InvalidRequest as error:
        if wants_fragment(request):
            raise
        return await render_item(await begin_visit(request, viewer, kept), item_id, form.back, form.typed, error)
    return await answer(request, kept, viewer, Acted([item_id, card.item.id], form.back, "saved"))
