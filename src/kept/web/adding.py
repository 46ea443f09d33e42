"""Saving a link from a page: the add box, and the form that a bookmarklet or a phone's share sheet fills in."""

import re
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response

from kept.api.access import KeptDep, Writer
from kept.bootstrap import Kept
from kept.domain.account import Viewer
from kept.domain.errors import KeptError
from kept.domain.item import parse_user_fields
from kept.domain.library import Library, Role
from kept.services.libraries.list_libraries import list_libraries
from kept.services.saving.save_link import LinkToSave, Saved, save_link
from kept.web.rendering import Visiting, begin_visit, go_to, local_path, render, wants_fragment
from kept.web.views import parse_id

router = APIRouter()

ADDRESS: Final = re.compile(r"https?://\S+")
Shared = Annotated[str, Query(max_length=10_000)]
Text = Annotated[str, Form(max_length=100_000)]


@router.get("/add")
async def show_add(visit: Visiting, url: Shared = "", title: Shared = "", text: Shared = "") -> Response:
    """Fills in a form and does nothing else: following a link must not change anything."""
    found = url or find_address(text) or find_address(title)
    note = text.replace(found, "").strip() if found else text.strip()
    shelves = await list_libraries(visit.kept.database, visit.viewer)
    filled = {"url": found, "title": title if title != found else "", "note": note, "tags": "", "library": ""}
    return visit.render("add.html", filled=filled, libraries=writable(shelves), error=None)


def find_address(text: str) -> str:
    """Many apps share a page as text with its address somewhere in it."""
    found = ADDRESS.search(text)
    return found.group() if found else ""


def writable(shelves: list[tuple[Library, Role]]) -> list[Library]:
    return [library for library, role in shelves if role is Role.ADMIN]


@router.post("/add")
async def submit_add(
    request: Request,
    viewer: Writer,
    kept: KeptDep,
    url: Text = "",
    title: Text = "",
    note: Text = "",
    tags: Text = "",
    library: Text = "",
    back: Text = "/",
) -> Response:
    filled = {"url": url, "title": title, "note": note, "tags": tags, "library": library}
    try:
        saved = await save(kept, viewer, filled, request.state.request_id)
    except KeptError as error:
        if wants_fragment(request):
            raise
        visit = await begin_visit(request, viewer, kept)
        shelves = writable(await list_libraries(kept.database, viewer))
        return visit.render("add.html", error.http_status, filled=filled, libraries=shelves, error=error.message)
    if wants_fragment(request):
        values = {"viewer": viewer, "now": kept.now(), "card": saved.card, "back": local_path(back)}
        return render(request, "parts/card.html", 201 if saved.is_new_item else 200, **values, may_write=True)
    return go_to(local_path(back), done="kept" if saved.is_new_item else "known")


async def save(kept: Kept, viewer: Viewer, filled: dict[str, str], request_id: str) -> Saved:
    said = {name: text.replace("\x00", "") for name, text in filled.items()}
    words = parse_user_fields(said["title"], None, said["note"], said["tags"].split(","))
    library_id: UUID | None = parse_id(said["library"])
    await kept.rate_limits.require("save", str(viewer.user_id))
    link = LinkToSave(said["url"].strip(), words, library_id, request_id=request_id)
    return await save_link(kept.saver, viewer, link)
