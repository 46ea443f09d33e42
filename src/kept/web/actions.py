"""Actions on items, one or several at once, and the form that edits one item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Request, Response
from pydantic import BaseModel

from kept.api.access import KeptDep, Writer
from kept.bootstrap import Kept
from kept.domain.account import Viewer
from kept.domain.errors import Conflict, InvalidRequest
from kept.domain.item import Card
from kept.services.copies.recapture_item import recapture_item
from kept.services.ingesting.retry_media import retry_media
from kept.services.items.change_item import ItemChange, change_item
from kept.services.items.change_items import change_items
from kept.services.items.change_reading_state import ReadingChange
from kept.services.items.read_card import read_card
from kept.services.items.remove_items import remove_items
from kept.services.items.restore_items import restore_items
from kept.web.list_view import parse_list_url
from kept.web.notices import Notice, make_notice
from kept.web.rendering import Visiting, go_to, local_path, render, wants_fragment

router = APIRouter()

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
    back: str = "/"


@router.post("/items")
async def act(request: Request, viewer: Writer, kept: KeptDep, form: Annotated[ActionForm, Form()]) -> Response:
    item, action, back = form.item, form.action, local_path(form.back)
    if len(item) > MAX_AT_ONCE:
        raise InvalidRequest(f"You can select at most {MAX_AT_ONCE} pages.")
    if not item:
        return go_to(back)
    undo: UUID | None = None
    cards: Sequence[Card] = ()
    match action:
        case "delete":
            undo = await remove_items(kept.database, viewer, item, now=kept.now())
        case "retry" | "ingest":
            cards = await retry(kept, viewer, item, request.state.request_id)
        case "recapture":
            cards = [await recapture(kept, viewer, item_id, request.state.request_id) for item_id in item[:1]]
        case "tag":
            added = form.tag.split(",")
            cards = await change_items(kept.database, viewer, item, ReadingChange(), add_tags=added, now=kept.now())
        case _ if action in READING:
            cards = await change_items(kept.database, viewer, item, READING[action], now=kept.now())
        case _:
            raise InvalidRequest("Unknown action.")
    if wants_fragment(request):
        return await show_changed(request, kept, viewer, cards, back, make_notice(action, len(item), undo))
    return go_to(back, done=action, number=len(item), undo=undo)


async def recapture(kept: Kept, viewer: Viewer, item_id: UUID, request_id: str) -> Card:
    await kept.rate_limits.require("save", str(viewer.user_id))
    await recapture_item(kept.database, kept.notifier, viewer, item_id, request_id=request_id, now=kept.now())
    return (await read_card(kept.database, viewer, item_id))[0]


async def retry(kept: Kept, viewer: Viewer, item_ids: Sequence[UUID], request_id: str) -> list[Card]:
    """Retries the items that can be; the others stay as they are. A single item that cannot be is an error."""
    await kept.rate_limits.require("save", str(viewer.user_id))
    for item_id in item_ids:
        try:
            card, _ = await read_card(kept.database, viewer, item_id)
            await retry_media(
                kept.database, kept.notifier, viewer, card.media.id, request_id=request_id, now=kept.now()
            )
        except Conflict:
            if len(item_ids) == 1:
                raise
    return [(await read_card(kept.database, viewer, item_id))[0] for item_id in item_ids]


async def show_changed(
    request: Request, kept: Kept, viewer: Viewer, cards: Sequence[Card], back: str, notice: Notice | None
) -> Response:
    """A fragment: the cards that still belong in the list they were changed in, and the notice."""
    list_view = parse_list_url(back)
    shown = [await read_card(kept.database, viewer, card.item.id) for card in cards if list_view.shows(card)]
    return render(request, "parts/changed.html", viewer=viewer, now=kept.now(), shown=shown, back=back, notice=notice)


@router.post("/undo")
async def undo(
    request: Request, viewer: Writer, kept: KeptDep, batch: Annotated[UUID, Form()], back: Text = "/"
) -> Response:
    number = await restore_items(kept.database, viewer, batch, now=kept.now())
    return go_to(local_path(back), done="restore", number=number)


@router.get("/items/{item_id}")
async def show_item(visit: Visiting, item_id: UUID, back: str = "/") -> Response:
    """The form with an item's tags, note, custom title and excerpt."""
    card, role = await read_card(visit.kept.database, visit.viewer, item_id)
    return visit.render("item.html", card=card, role=role, back=local_path(back), error=None)


@dataclass(frozen=True, slots=True)
class ItemForm:
    change: ItemChange
    back: str


async def parse_item_form(request: Request) -> ItemForm:
    """Only what was sent changes: the tag box of a list sends tags alone. FastAPI's `Form` is no use for this, since
    it takes a field that was emptied for one that was not sent."""
    form = await request.form()
    sent = {name: value.replace("\x00", "") for name, value in form.items() if isinstance(value, str)}
    texts: dict[str, str | None] = {name: sent[name] for name in ("title", "excerpt", "note") if name in sent}
    tags = tuple(sent["tags"].split(",")) if "tags" in sent else None
    return ItemForm(ItemChange(texts, tags=tags), local_path(sent.get("back", "/")))


@router.post("/items/{item_id}")
async def submit_item(
    request: Request, viewer: Writer, kept: KeptDep, item_id: UUID, form: Annotated[ItemForm, Depends(parse_item_form)]
) -> Response:
    card = await change_item(kept.database, viewer, item_id, form.change, now=kept.now())
    if wants_fragment(request):
        return await show_changed(request, kept, viewer, [card], form.back, make_notice("tags", 1))
    return go_to(form.back, done="saved")
