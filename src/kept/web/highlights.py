"""The page of all one's highlights, and the form that changes or removes one."""

from itertools import groupby
from typing import Annotated, Final
from urllib.parse import urlsplit
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel

from kept.api.access import KeptDep, Writer
from kept.domain.highlight import MAX_NOTE, Colour
from kept.domain.item import Card
from kept.domain.paging import PageRequest
from kept.services.highlights.highlights import (
    HighlightChange,
    change_highlight,
    get_highlight,
    remove_highlight,
    restore_highlight,
)
from kept.services.highlights.lists import FoundHighlight, list_highlights
from kept.web.highlights_view import HighlightsViewDep
from kept.web.notices import NoticeDep, make_notice
from kept.web.rendering import Visiting, begin_visit, go_to, local_path, no_content, wants_fragment

router = APIRouter(prefix="/highlights", include_in_schema=False)

PAGE: Final = 50
OWN_PAGE: Final = "/highlights"
Cursor = Annotated[str | None, Query(max_length=400)]


@router.get("")
async def show_highlights(
    visit: Visiting, view: HighlightsViewDep, notice: NoticeDep, cursor: Cursor = None
) -> Response:
    wanted = view.filter(visit.kept.now())
    page = await visit.kept.read(list_highlights, visit.viewer, wanted, PageRequest(cursor or None, PAGE))
    return visit.render(
        "highlights.html",
        view=view,
        today=view.today(visit.kept.now()),
        articles=group_by_article(page.entries),
        next_page=view.page_url(page.next_cursor) if page.next_cursor else None,
        colours=list(Colour),
        notice=notice,
    )


def group_by_article(entries: list[FoundHighlight]) -> list[tuple[Card, list[FoundHighlight]]]:
    """Group neighbouring highlights of one article, to stand under its title."""
    groups = [list(group) for _, group in groupby(entries, key=lambda entry: entry.card.item.id)]
    return [(group[0].card, group) for group in groups]


@router.get("/{highlight_id}")
async def show_highlight(visit: Visiting, highlight_id: UUID, back: str = OWN_PAGE) -> Response:
    """Show the form for a highlight's colour and note, as a page or as a fragment for the reader's own box."""
    highlight = await visit.kept.read(get_highlight, visit.viewer, highlight_id)
    is_fragment = wants_fragment(visit.request)
    return visit.render(
        "parts/highlight_form.html" if is_fragment else "highlight.html",
        highlight=highlight,
        level=2 if is_fragment else 1,
        back=local_path(back, OWN_PAGE),
        colours=list(Colour),
        max_note=MAX_NOTE,
    )


class HighlightForm(BaseModel):
    colour: Colour | None = None
    note: str = ""
    back: str = OWN_PAGE


@router.post("/{highlight_id}")
async def submit_highlight(
    request: Request, viewer: Writer, kept: KeptDep, highlight_id: UUID, form: Annotated[HighlightForm, Form()]
) -> Response:
    note = form.note.replace("\r\n", "\n").replace("\x00", "")
    change = HighlightChange(form.colour, note, changes_note=True)
    await kept.write(change_highlight, viewer, highlight_id, change, now=kept.now())
    if wants_fragment(request):
        return no_content()
    return go_to_entry(form.back, highlight_id, done="highlight_changed")


@router.post("/{highlight_id}/remove")
async def remove(
    request: Request, viewer: Writer, kept: KeptDep, highlight_id: UUID, back: Annotated[str, Form()] = OWN_PAGE
) -> Response:
    undo = await kept.write(remove_highlight, viewer, highlight_id, now=kept.now())
    if wants_fragment(request):
        notice = make_notice("highlight_removed", 1, undo)
        visit = await begin_visit(request, viewer, kept)
        return visit.render("parts/notice.html", notice=notice, back=local_path(back, OWN_PAGE))
    return go_to(without_fragment(back), done="highlight_removed", undo=undo)


@router.post("/{highlight_id}/restore")
async def restore(
    request: Request, viewer: Writer, kept: KeptDep, highlight_id: UUID, back: Annotated[str, Form()] = OWN_PAGE
) -> Response:
    await kept.write(restore_highlight, viewer, highlight_id, now=kept.now())
    if wants_fragment(request):
        return no_content()
    return go_to_entry(back, highlight_id, done="highlight_restored")


def go_to_entry(back: str, highlight_id: UUID, *, done: str) -> RedirectResponse:
    """Redirect to the page the form was opened from, at the place of the highlight in its list."""
    path = go_to(without_fragment(back), done=done)
    path.headers["location"] += f"#l-{highlight_id}"
    return path


def without_fragment(back: str) -> str:
    return urlsplit(local_path(back, OWN_PAGE))._replace(fragment="").geturl()
