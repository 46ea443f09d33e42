"""Saving a link: the add box, the form that a bookmarklet or a phone's share menu fills in, and the bookmarklet itself,
a bookmark whose script opens that form in a small window."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from string import ascii_letters, digits
from typing import Annotated, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import BaseModel, Field

from kept.api.access import KeptDep, Writer
from kept.api.requests import find_base_url
from kept.domain.account import Viewer
from kept.domain.errors import InvalidRequest, KeptError
from kept.domain.item import parse_user_fields
from kept.domain.library import Library, Role
from kept.ids import find_id
from kept.services.libraries.libraries import list_libraries
from kept.services.saving.links import LinkToSave, Saved, save_link
from kept.urls.given import UrlInText, UrlNotice, list_urls
from kept.web.i18n import N_
from kept.web.notices import make_notice
from kept.web.rendering import Visit, Visiting, begin_visit, go_to, local_path, wants_fragment
from kept.wiring.server import Kept

router = APIRouter(include_in_schema=False)

EMPTY: Final = dict.fromkeys(("url", "title", "note", "tags", "library"), "")
URL_CHARACTERS: Final = frozenset(ascii_letters + digits + "-._~:/?#@!$&*+,;=%")
# The page's script shows these notices itself, with the title of the page.
TOLD_BY_SCRIPT: Final = frozenset({"kept", "known"})
Shared = Annotated[str, Query(max_length=10_000)]
Text = Annotated[str, Field(max_length=100_000)]


@router.get("/add")
async def show_add(
    visit: Visiting, url: Shared = "", title: Shared = "", text: Shared = "", window: Shared = ""
) -> Response:
    """Show the filled-in form; a GET request must not save. With `window` it is in a bookmarklet's small window."""
    found = url or find_url(text) or find_url(title)
    note = text.replace(found, "").strip() if found else text.strip()
    filled = EMPTY | {"url": found, "title": title if title != found else "", "note": note}
    return await render_add(visit, filled, in_window=bool(window))


async def render_add(
    visit: Visit,
    filled: Mapping[str, str] = EMPTY,
    *,
    error: KeptError | None = None,
    file_error: KeptError | None = None,
    in_window: bool = False,
) -> Response:
    fault = error or file_error
    return visit.render(
        "add.html",
        fault.http_status if fault else 200,
        filled=filled,
        libraries=writable(await visit.kept.read(list_libraries, visit.viewer)),
        error=error.told if error else None,
        file_error=file_error.told if file_error else None,
        window=in_window,
    )


def find_url(text: str) -> str:
    """Return the first URL in a text: many apps share a page as text with its URL somewhere in it."""
    return next((found.url for found in list_urls(text)), "")


def choose_link(typed: str) -> str:
    """Return the one link among other words. A text that begins with a link is one: a URL may have spaces."""
    found = [each.url for each in islice(filter(partial(begins_link, typed), list_urls(typed)), 2)]
    if len(found) > 1:
        raise InvalidRequest(N_("This is more than one link. Save one at a time, or import them as a text file."))
    return found[0] if found and not typed.startswith(found[0]) else typed


def begins_link(text: str, found: UrlInText) -> bool:
    """Return whether the URL is not part of another one, such as that of an archive or a redirect."""
    return found.start == 0 or text[found.start - 1] not in URL_CHARACTERS


def writable(libraries: list[tuple[Library, Role]]) -> list[Library]:
    return [library for library, role in libraries if role is Role.ADMIN]


class AddForm(BaseModel):
    url: Text = ""
    title: Text = ""
    note: Text = ""
    tags: Text = ""
    library: Text = ""
    back: Text = "/"
    window: Text = ""


@router.post("/add")
async def submit_add(request: Request, viewer: Writer, kept: KeptDep, form: Annotated[AddForm, Form()]) -> Response:
    filled = form.model_dump(exclude={"back", "window"})
    try:
        saved = await save(kept, viewer, filled, request.state.request_id)
    except KeptError as error:
        if wants_fragment(request):
            raise
        visit = await begin_visit(request, viewer, kept)
        return await render_add(visit, filled, error=error, in_window=bool(form.window))
    back, done = local_path(form.back), name_notice(saved)
    if wants_fragment(request):
        visit = await begin_visit(request, viewer, kept)
        notice = make_notice(done) if done not in TOLD_BY_SCRIPT else None
        status = 201 if saved.is_new_item else 200
        return visit.render("parts/saved.html", status, card=saved.card, back=back, may_write=True, notice=notice)
    if form.window:
        visit = await begin_visit(request, viewer, kept)
        return visit.render("added.html", card=saved.card, notice=make_notice(done))
    return go_to(back, done=done)


def name_notice(saved: Saved) -> str:
    if saved.was_archived:
        return "unarchived"
    done = "kept" if saved.is_new_item else "known"
    if UrlNotice.CREDENTIALS_REMOVED in saved.notices:
        return f"{done}_without_password"
    return "known_failed" if done == "known" and saved.card.media.failure_code else done


async def save(kept: Kept, viewer: Viewer, filled: dict[str, str], request_id: str) -> Saved:
    said = {name: text.replace("\x00", "") for name, text in filled.items()}
    fields = parse_user_fields(said["title"], None, said["note"], said["tags"].split(","))
    library_id: UUID | None = find_id(said["library"])
    await kept.rate_limits.require("save", str(viewer.user_id))
    link = LinkToSave(choose_link(said["url"].strip()), fields, library_id, request_id=request_id)
    return await save_link(kept.saver, viewer, link)


# --- the bookmarklet --------------------------------------------------------------------------------------------------


# If pop-ups are blocked, the page itself goes to the form.
BOOKMARKLET: Final = (
    "javascript:(()=>{{const u='{origin}/add?window=1&url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title);"
    "if(!open(u,'kept','popup,width=480,height=640'))location.href=u}})()"
)


def make_bookmarklet(visit: Visit) -> str:
    return BOOKMARKLET.format(origin=public_origin(visit))


def public_origin(visit: Visit) -> str:
    """Return this server's origin. Quotes are escaped, because they would end the bookmarklet's string."""
    parts = urlsplit(find_base_url(visit.request, visit.kept))
    return f"{parts.scheme}://{parts.netloc}".replace("'", "%27")
